import { html, type Html, type HtmlValue } from './html-text.ts';

/** Tables and short lists of `report.html`. */

/** A table whose rows are headed by their first cell; on a phone each row is a block with its cells named. */
export function htmlTable(caption: string, head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html | null {
  if (rows.length === 0) return null;
  return html`<div class="wide">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((cells) => tableRow(head, cells))}
      </tbody>
    </table>
  </div>`;
}

function tableRow(head: readonly string[], [first = null, ...cells]: readonly HtmlValue[]): Html {
  return html`<tr>
    <th scope="row">${first}</th>
    ${cells.map((cell, index) => (cell === '' ? html`<td></td>` : html`<td data-label="${head[index + 1] ?? ''}">${cell}</td>`))}
  </tr>`;
}

/** A cell with a small line below it. */
export function withSmall(text: HtmlValue, small: HtmlValue): Html {
  return html`${text}
    <div class="small soft">${small}</div>`;
}

/** A short list under a line of its own; nothing when it is empty. */
export function plainList(title: string, items: readonly HtmlValue[]): Html | null {
  if (items.length === 0) return null;
  return html`<p>${title}:</p>
    <ul class="plain">
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`;
}
