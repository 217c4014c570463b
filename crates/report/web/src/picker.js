// Which drives a chart shows: those with published figures at first, then what the reader chooses,
// for one chart or for all.

/** A choice for all charts; null while every chart shows its own. */
let everywhere = null;
const onEverywhere = [];

function chooseEverywhere(drives) {
  everywhere = drives;
  onEverywhere.forEach((changed) => changed());
}

/** A search field and a box to tick for each drive. `chosen` says which are ticked, `choose` sets them. */
function buildPicker(panel, { drives, chosen, defaults, choose }) {
  const bar = document.createElement('div');
  bar.className = 'picker-bar';
  const search = bar.appendChild(document.createElement('input'));
  search.type = 'search';
  search.placeholder = 'Find a drive';
  search.setAttribute('aria-label', 'Find a drive');
  const list = document.createElement('fieldset');
  list.className = 'chips';
  list.appendChild(document.createElement('legend')).textContent = 'Drives shown';
  const boxes = drives.map((drive) => {
    const label = list.appendChild(document.createElement('label'));
    const box = label.appendChild(document.createElement('input'));
    box.type = 'checkbox';
    box.value = drive;
    const swatch = label.appendChild(document.createElement('span'));
    swatch.className = 'swatch';
    swatch.style.background = `var(--drive-${report.drives[drive].colour})`;
    label.append(driveName(drive));
    return box;
  });
  const matches = (box) => driveName(Number(box.value)).toLowerCase().includes(search.value.trim().toLowerCase());
  const ticked = () => new Set(boxes.filter((box) => box.checked).map((box) => Number(box.value)));
  const refresh = () => boxes.forEach((box) => {
    box.checked = chosen().has(Number(box.value));
  });
  search.addEventListener('input', () => boxes.forEach((box) => {
    box.parentElement.hidden = !matches(box);
  }));
  list.addEventListener('change', () => choose(ticked()));
  const set = (of) => () => {
    choose(new Set(of()));
    refresh();
  };
  const found = () => boxes.filter(matches).map((box) => Number(box.value));
  bar.append(
    button('Default', set(() => defaults)),
    button('All found', set(() => [...chosen(), ...found()])),
    button('None', set(() => [])),
    button('Use in every chart', () => chooseEverywhere(ticked())),
    button('Every chart its own', () => chooseEverywhere(null)),
  );
  bar.querySelector('button').title = `The ${defaults.size} drives this chart shows at first`;
  panel.replaceChildren(bar, list);
  refresh();
  return refresh;
}
