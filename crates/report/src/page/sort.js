for (const table of document.querySelectorAll('table')) {
  const heads = [...table.querySelectorAll('thead th')];
  heads.forEach((head, at) => {
    const button = document.createElement('button');
    button.append(...head.childNodes);
    button.title = 'sort';
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') !== 'descending' && head.classList.contains('n')
        || head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const cell = body => body.rows[0]?.cells[at];
      const number = body => parseFloat(cell(body)?.dataset.v);
      const order = (a, b) => {
        const [x, y] = [number(a), number(b)];
        // What has no number stays at the end, whichever way the rest is sorted.
        if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
        const way = isNaN(x) ? (cell(a)?.textContent ?? '').localeCompare(cell(b)?.textContent ?? '') : x - y;
        return down ? -way : way;
      };
      table.append(...[...table.tBodies].sort(order));
    });
  });
}
