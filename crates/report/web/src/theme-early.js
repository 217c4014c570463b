// A stored choice wins over the system's; without storage the system decides.
try {
  const stored = localStorage.getItem('ftlab-theme');
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
} catch {
  // Some browsers refuse storage to pages opened from a file.
}
// The first page alone is laid out until the script knows which one is wanted.
document.documentElement.classList.add('opening');
