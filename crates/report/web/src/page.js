// Puts the page to work: charts, theme, contents.

function startCharts() {
  const { drives, charts: specs } = JSON.parse(document.getElementById('report-data').textContent);
  const figures = new Map([...document.querySelectorAll('[data-chart]')].map((figure) => [figure.dataset.chart, figure]));
  // All charts stand in one column. Measuring each would lay out sections nobody has reached yet.
  const width = document.querySelector('.plot')?.clientWidth ?? 0;
  const charts = new Map(specs.map((spec) => [spec.id, makeChart(figures.get(spec.id), spec, drives, width)]));
  for (const select of document.querySelectorAll('[data-pick]')) {
    const family = select.dataset.pick;
    bindPick(select, [`${family}-histogram`, `${family}-timeline`].map((id) => charts.get(id)).filter(Boolean));
  }
  watch([...charts.values()]);
  return [...charts.values()];
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

/** Marks the section being read, and folds the contents away on narrow screens. */
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

  const links = new Map([...menu.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const reading = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute('aria-current'));
      links.get(target.id)?.setAttribute('aria-current', 'true');
    }
  }, { rootMargin: '-20% 0px -70% 0px' });
  for (const id of ['top', ...links.keys()]) {
    const section = document.getElementById(id);
    if (section) reading.observe(section);
  }
}

startContents();
startTheme(startCharts());
