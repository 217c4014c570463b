// Tables made in the page, and the same as CSV files.

/** Rows beyond this stay in the CSV: a table of thousands of rows helps nobody. */
const TABLE_ROWS_MAX = 400;

function cellText(value) {
  return typeof value === 'number' ? number(value) : (value ?? '–');
}

function dataTable({ columns, rows }, caption) {
  const box = document.createElement('div');
  box.className = 'scroll';
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', `Data: ${caption}`);
  const table = box.appendChild(document.createElement('table'));
  table.createCaption().textContent =
    rows.length > TABLE_ROWS_MAX ? `${caption} (first ${TABLE_ROWS_MAX} of ${rows.length} rows; all are in the CSV)` : caption;
  const head = table.createTHead().insertRow();
  columns.forEach((column, index) => {
    const cell = head.appendChild(document.createElement('th'));
    cell.scope = 'col';
    cell.textContent = column;
    if (typeof rows[0]?.[index] === 'number') cell.className = 'num';
  });
  const body = table.createTBody();
  for (const cells of rows.slice(0, TABLE_ROWS_MAX)) {
    const row = body.insertRow();
    for (const [index, value] of cells.entries()) {
      // The first cell stays in sight while the others scroll.
      const cell = index === 0 ? row.appendChild(document.createElement('th')) : row.insertCell();
      if (index === 0) cell.scope = 'row';
      if (typeof value === 'number') cell.className = 'num';
      cell.textContent = cellText(value);
    }
  }
  watchWidth(box);
  return box;
}

function saveCsv({ columns, rows }, name) {
  const text = [columns, ...rows].map(csvLine).join('\r\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text, '\r\n'], { type: 'text/csv' }));
  link.download = `${name.replaceAll('/', '-')}.csv`;
  link.click();
  // The download has its own reference by the next turn of the loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function button(text, onClick) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', onClick);
  return made;
}
