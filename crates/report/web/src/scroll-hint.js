// Says of a table that is wider than its box that there is more of it.

const tells = (box) => box.classList.toggle('wider', box.scrollWidth > box.clientWidth + 1);

const boxesResized = new ResizeObserver((entries) => entries.forEach(({ target }) => tells(target)));

/** Looked at when it first comes into view: a page has hundreds of tables, most of them on other pages. */
const boxesSeen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    boxesSeen.unobserve(target);
    boxesResized.observe(target);
  }
});

function watchWidth(box) {
  boxesSeen.observe(box);
}
