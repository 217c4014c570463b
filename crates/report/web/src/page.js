// Puts the page to work: which of its pages is shown, contents, charts, theme.

/** The heading that names a section, which takes the focus in its place. */
function headingOf(element) {
  const named = element?.matches('section, .page') ? element.getAttribute('aria-labelledby') : null;
  return (named && document.getElementById(named)) || element;
}

/** Frames until the surroundings of a place are laid out and drawn. */
const ARRIVAL_FRAMES = 6;

/** Goes to a place, and again while charts near it are drawn and move it. */
function arrive(target, frames = ARRIVAL_FRAMES) {
  target.scrollIntoView();
  if (frames > 0) requestAnimationFrame(() => arrive(target, frames - 1));
}

/** Shows the page with the element that a link points to, and unfolds everything around it. */
function startPages() {
  const pages = [...document.querySelectorAll('.page')];
  const title = document.title;

  function show(page) {
    for (const other of pages) {
      // Found by a search of the browser, which then shows it.
      if (other === page) other.removeAttribute('hidden');
      else other.setAttribute('hidden', 'until-found');
    }
    const name = page === pages[0] ? '' : page.querySelector('h2').firstChild.textContent.trim();
    document.title = name ? `${name} – ${title}` : title;
  }

  function follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1))) ?? pages[0];
    const page = target.closest('.page');
    // A place outside the pages, such as the start of the text, is on every one.
    if (!page) return;
    show(page);
    for (let outer = target.parentElement; outer; outer = outer.parentElement) {
      if (outer instanceof HTMLDetailsElement) outer.open = true;
    }
    if (target === page) scrollTo(0, 0);
    else arrive(target);
  }

  for (const page of pages) page.addEventListener('beforematch', () => show(page));
  addEventListener('hashchange', () => {
    follow();
    const target = headingOf(document.getElementById(decodeURIComponent(location.hash.slice(1))));
    if (!target) return;
    // The next Tab goes on from here, and a screen reader reads from here.
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  });
  follow();
  document.documentElement.classList.remove('opening');
}

function startCharts() {
  const charts = [...document.querySelectorAll('figure.chart')].map(makeChart);
  watch(charts);
  return charts;
}

function startTheme(charts) {
  const root = document.documentElement;
  const systemDark = matchMedia('(prefers-color-scheme: dark)');
  const repaint = () => charts.forEach((chart) => chart.redraw());
  document.querySelector('[data-theme-toggle]').addEventListener('click', () => {
    const dark = (root.dataset.theme ?? (systemDark.matches ? 'dark' : 'light')) === 'dark';
    root.dataset.theme = dark ? 'light' : 'dark';
    try {
      localStorage.setItem('ftlab-theme', root.dataset.theme);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    repaint();
  });
  systemDark.addEventListener('change', repaint);
}

/** The height at which people read, as a share of the window. */
const READING_LINE = 0.25;

/** Marks the section being read, filters drives, and folds the contents away on narrow screens. */
function startContents() {
  const menu = document.querySelector('.menu');
  const narrow = matchMedia('(max-width: 60rem)');
  const fold = () => {
    menu.open = !narrow.matches;
  };
  narrow.addEventListener('change', fold);
  fold();
  menu.addEventListener('click', (event) => {
    if (narrow.matches && event.target.closest('a')) menu.open = false;
  });

  for (const input of document.querySelectorAll('[data-filter]')) {
    const items = [...document.getElementById(input.dataset.filter).children];
    input.addEventListener('input', () => {
      const wanted = input.value.trim().toLowerCase();
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
    });
  }

  const links = new Map([...menu.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const parts = [...document.querySelectorAll('[id]')].filter(({ id }) => links.has(id));
  let marked;

  /** The part that is being read: of the parts of the shown page the last that begins above the line of reading, at the end of
      the page the last one in view, and before any of them the first. */
  function beingRead() {
    const shown = parts.filter((part) => !part.closest('.page').hidden);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
    const line = innerHeight * (atEnd ? 0.9 : READING_LINE);
    return shown.findLast((part) => part.getBoundingClientRect().top <= line) ?? shown[0];
  }

  function mark() {
    const link = links.get(beingRead()?.id);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    marked = link;
    if (!link) return;
    link.setAttribute('aria-current', 'true');
    const group = link.closest('details.review');
    if (group) group.open = true;
    const [bar, at] = [document.querySelector('.bar'), link.getBoundingClientRect()];
    if (!narrow.matches && (at.top < 0 || at.bottom > innerHeight)) bar.scrollTop += at.top - innerHeight / 2;
  }

  let asked = false;
  const later = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      mark();
    });
  };
  for (const event of ['scroll', 'resize', 'hashchange']) addEventListener(event, later, { passive: true });
  mark();
}

/** On paper everything is unfolded and every chart is drawn, at the width and in the colours of paper. */
function startPrinting(charts) {
  const root = document.documentElement;
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('.page:not([hidden]) details:not([open], .runs)')];
    for (const details of opened) details.open = true;
    root.classList.add('printing');
    charts.filter(({ target }) => !target.closest('.page').hidden).forEach((chart) => chart.show());
  });
  addEventListener('afterprint', () => {
    root.classList.remove('printing');
    for (const details of opened) details.open = false;
    charts.forEach((chart) => chart.redraw());
  });
}

startPages();
startContents();
document.querySelectorAll('.scroll').forEach(watchWidth);
startRuns();
const charts = startCharts();
startTheme(charts);
startPrinting(charts);
