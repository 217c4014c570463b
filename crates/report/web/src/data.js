// The data behind a chart: a table in the page, and the same as a CSV file.

/** Rows beyond this stay in the CSV: a table of thousands of rows helps nobody. */
const TABLE_ROWS_MAX = 400;

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
  for (const column of columns) {
    const cell = head.appendChild(document.createElement('th'));
    cell.scope = 'col';
    cell.textContent = column;
  }
  const body = table.createTBody();
  for (const cells of rows.slice(0, TABLE_ROWS_MAX)) {
    const row = body.insertRow();
    for (const value of cells) {
      const cell = row.insertCell();
      if (typeof value === 'number') cell.className = 'num';
      cell.textContent = typeof value === 'number' ? number(value) : (value ?? '–');
    }
  }
  return box;
}

function saveCsv({ columns, rows }, name) {
  const text = [columns, ...rows].map(csvLine).join('\r\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text, '\r\n'], { type: 'text/csv' }));
  link.download = `${name}.csv`;
  link.click();
  // The download has its own reference by the next turn of the loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function fillData(panel, data, caption, name) {
  const save = document.createElement('button');
  save.type = 'button';
  save.textContent = 'Download CSV';
  save.addEventListener('click', () => saveCsv(data, name));
  panel.replaceChildren(dataTable(data, caption), save);
}
