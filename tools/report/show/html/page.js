'use strict';
// Draws the page from its data. Text goes in as text, never as markup.
const page = JSON.parse(document.getElementById('data').textContent);
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(name).trim();
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const palette = ['#0969da', '#cf6a00', '#1a7f37', '#8250df', '#cf222e', '#0a8f8f', '#bf3989', '#7d8590', '#9a6700', '#4c6ef5'];

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function table(section) {
  const body = element('tbody');
  const show = (rows) => body.replaceChildren(...rows.map((row) => element('tr', {}, row.map((cell, column) => {
    const shown = element('td', { textContent: cell.text });
    if (section.columns[column].number) shown.classList.add('number');
    if (cell.mark) shown.classList.add(cell.mark);
    return shown;
  }))));
  show(section.rows);
  const heads = section.columns.map((column, index) => {
    const head = element('th', { scope: 'col' }, [element('button', { textContent: column.head, type: 'button' })]);
    if (column.number) head.classList.add('number');
    head.firstChild.addEventListener('click', () => {
      const descending = head.getAttribute('aria-sort') === 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const order = (a, b) => {
        const x = a[index], y = b[index];
        if (x.value !== undefined && y.value !== undefined) return x.value - y.value;
        if ((x.value !== undefined) !== (y.value !== undefined)) return x.value !== undefined ? -1 : 1;  // what has no number goes last
        return x.text < y.text ? -1 : x.text > y.text ? 1 : 0;
      };
      const sorted = [...section.rows].sort(order);
      show(descending ? sorted.reverse() : sorted);
    });
    return head;
  });
  return element('div', { className: 'scroll' }, [element('table', {}, [element('thead', {}, [element('tr', {}, heads)]), body])]);
}

function chart(spec) {
  const canvas = element('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', spec.title);
  const figure = element('figure', {}, [element('figcaption', { textContent: spec.title }), element('div', { className: 'canvas' }, [canvas])]);
  const axis = (label, log) => ({
    type: log ? 'logarithmic' : 'linear',
    title: { display: true, text: label, color: colour('--dim') },
    ticks: { color: colour('--dim'), maxTicksLimit: 8, maxRotation: 0, callback: (value) => compact.format(value) },
    grid: { color: colour('--line') },
  });
  requestAnimationFrame(() => {
    const drawn = new Chart(canvas, {
      type: 'scatter',
      data: {
        datasets: spec.series.map((series, index) => ({
          label: series.name,
          data: series.points.map(([x, y]) => ({ x, y })),
          showLine: !series.marks,
          borderColor: series.dashed ? colour('--dim') : palette[index % palette.length],
          backgroundColor: palette[index % palette.length],
          borderDash: series.dashed ? [6, 4] : [],
          borderWidth: 2,
          pointRadius: series.dashed ? 0 : series.marks ? 7 : 3,
          pointStyle: series.marks ? 'triangle' : 'circle',
        })),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        plugins: { legend: { labels: { color: colour('--text'), boxWidth: 12 } } },
        scales: { x: axis(spec.x, spec.log_x), y: axis(spec.y, spec.log_y) },
      },
    });
    // For whoever tests the page: what was drawn, by the library's own account.
    const points = drawn.data.datasets.map((_, index) => drawn.getDatasetMeta(index).data.length);
    figure.dataset.drawn = JSON.stringify({ points, width: drawn.width, height: drawn.height });
  });
  return figure;
}

document.title = page.title;
const main = document.querySelector('main');
main.append(element('h1', { textContent: page.title }));
for (const line of page.lead) main.append(element('p', { textContent: line }));
for (const machine of page.machines) {
  const list = element('dl');
  for (const [key, value] of machine.facts) list.append(element('dt', { textContent: key }), element('dd', { textContent: value }));
  main.append(element('details', {}, [element('summary', { textContent: machine.title }), list]));
}
for (const section of page.sections) {
  if (section.title) main.append(element('h2', { textContent: section.title }));
  if (section.lead) main.append(element('p', { textContent: section.lead }));
  if (section.charts.length && window.Chart) main.append(element('div', { className: 'charts' }, section.charts.map(chart)));
  if (section.charts.length && !window.Chart) main.append(element('p', { textContent: 'Built without Chart.js (package libjs-chart.js): no charts.' }));
  if (section.rows.length) main.append(table(section));
  for (const note of section.notes) main.append(element('p', { textContent: note }));
}
for (const line of page.legend) main.append(element('p', { textContent: line }));
