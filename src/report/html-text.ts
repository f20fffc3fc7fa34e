import { plainText } from './words.ts';

/**
 * HTML that is safe by construction: the tag `html` escapes every value, and only its own results go in as
 * they are. Nothing else makes a {@link Html}, so text of programs cannot become markup (R4).
 */

/** A piece of markup; made by {@link html} and {@link trusted} only. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: text and numbers are escaped, lists are joined, `null` is nothing. */
export type HtmlValue = Html | string | number | null | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The template tag; attribute values must stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? render(values[index] ?? null) : '')).join(''));
}

/** Text of our own that is markup already, such as the style sheet. */
export function trusted(text: string): Html {
  return new Html(text);
}

function render(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') {
    return plainText(String(value)).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  }
  return value.map(render).join('');
}
