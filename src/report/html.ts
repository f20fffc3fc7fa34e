import { bestSection, cards, glance, surest } from './html-best.ts';
import { htmlStage } from './html-stage.ts';
import { STYLE } from './html-style.ts';
import { htmlTable, plainList } from './html-table.ts';
import { html, trusted, type Html } from './html-text.ts';
import { originText, OUTCOME_TEXT, readingNotes, runFactRows, type FigureFiles } from './phrases.ts';
import type { ReportModel } from './schema.ts';
import { titleText } from './words.ts';

/** Forbids scripts and everything from outside, should anything ever get past the escaping. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: file: 'self'; base-uri 'none'; form-action 'none'";

/** `report.html`: one file without scripts, readable from `file://`, in light and dark, on a phone and on paper. */
export function htmlReport(model: ReportModel, figures: FigureFiles): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${model.run.id}: ${model.headline.found}</title>
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        ${head(model)}
        <main>
          ${bestSection(model.best)}
          <section aria-labelledby="stages">
            <h2 id="stages">Stages at a glance</h2>
            ${glance(model)}
          </section>
          ${model.stages.map((stage) => htmlStage(stage, model, figures))} ${about(model)}
        </main>
        <footer>
          The same as data: <a href="report.json">report.json</a>; every event: <a href="journal.json">journal.json</a>; as text:
          <a href="report.md">report.md</a>.
        </footer>
      </body>
    </html> `;
  return `${page.toString().replace(/\n\s+/g, '\n').trim()}\n`;
}

function head(model: ReportModel): Html {
  const { run, headline, outcome, best, stages } = model;
  const links = [
    ...(best === null ? [] : [{ id: 'best', text: 'Best program' }]),
    { id: 'stages', text: 'Stages' },
    ...stages
      .filter(({ tree }) => tree.length > 0)
      .map(({ name, number }) => ({ id: name, text: `${number}. ${titleText(name)}` })),
    { id: 'numbers', text: 'How to read the numbers' },
    { id: 'run', text: 'The run' },
  ];
  return html`<header>
    <h1>
      Research run ${run.id} <span class="badge ${outcome === 'completed' ? 'good' : 'noise'}">${OUTCOME_TEXT[outcome]}</span>
    </h1>
    <p class="soft">${run.goal}</p>
    ${run.forkedFrom === null ? html`` : html`<p class="soft">Forked from ${originText(run.forkedFrom)}.</p>`}
    <p class="found">${headline.found}</p>
    ${cards(model)} ${surest(model)}
    <nav aria-label="Sections">
      <ul>
        ${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
      </ul>
    </nav>
  </header>`;
}

function about(model: ReportModel): Html {
  return html`<section aria-labelledby="numbers">
      <h2 id="numbers">How to read the numbers</h2>
      <ul class="plain">
        ${readingNotes(model).map((note) => html`<li>${note}</li>`)}
      </ul>
    </section>
    <section aria-labelledby="run">
      <h2 id="run">The run</h2>
      ${htmlTable('What it was made with', ['what', 'value'], runFactRows(model))} ${plainList('Warnings', model.run.warnings)}
      ${plainList(
        'Keys of the configuration without effect',
        model.run.ignoredKeys.map((key) => html`<code>${key}</code>`),
      )}
    </section>`;
}
