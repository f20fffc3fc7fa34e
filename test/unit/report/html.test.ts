import { describe, expect, it } from 'vitest';
import { htmlReport } from '../../../src/report/html.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleReportInput } from '../../support/example-run.ts';
import { HOSTILE_TEXTS } from '../../support/hostile.ts';
import { exampleRun, sketchJournal } from '../../support/journal.ts';

const example = exampleReportInput();
const model = buildReport({
  resolved: example.run,
  events: example.events,
  experiments: example.experiments,
  outcome: 'completed',
  stages: [],
});
const page = htmlReport(model, new Map());

/** What a reader sees: tags out, entities back, one space for many. */
const visible = (html: string): string =>
  html
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

describe('report.html', () => {
  it('says first what was found, how sure and what failed', () => {
    const text = visible(page);
    expect(text).toContain('n10 (svc with pca) is the best program: accuracy 0.9724');
    expect(text).toMatch(/Best accuracy 0\.9724 95 % interval 0\.9658 to 0\.9790; mean over 3 fresh seeds/);
    expect(text).toMatch(/Gain over n7, carried in noise within the noise: better by 0\.0049/);
    expect(text).toContain('4 failed : 1 exception, 1 timeout, 1 out_of_memory, 1 no_result');
  });

  it('says of every stage what report.md says', () => {
    const text = visible(page);
    for (const stage of model.stages) {
      expect(text).toContain(stage.ending);
      for (const { label, node } of stage.tree) expect(text).toMatch(new RegExp(`${node} \\w+ +${label}`));
      for (const { meaning } of stage.ablations) expect(text).toContain(meaning);
      for (const { text: why, example: message } of stage.failures) {
        expect(text).toContain(why);
        expect(text).toContain(message);
      }
      for (const { text: why } of stage.dropped) expect(text).toContain(why);
    }
  });

  it('needs nothing from outside: no scripts, no addresses, a policy that forbids both', () => {
    expect(page).not.toMatch(/<script|javascript:/i);
    expect(page).not.toMatch(/(src|href)="(?!#|data:|[a-z_]+\/|best\/|report\.|journal\.)/);
    expect(page).not.toMatch(/url\(|@import|https?:/);
    expect(page).toContain("default-src 'none'");
  });

  it('shows hostile texts as they are, none as markup', () => {
    const run = exampleRun({ goal: '</title><script>1</script>', warnings: HOSTILE_TEXTS, ignoredKeys: HOSTILE_TEXTS });
    const journal = sketchJournal(run);
    journal.begin('initial_implementation');
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      journal.node({ id: 2 * index + 1, label: text, plan: text, scores: [0.9 + index / 1000] });
      journal.node({ id: 2 * index + 2, label: text, message: text });
      journal.steered(text);
    }
    const hostile = htmlReport(
      buildReport({ resolved: run, events: journal.events, outcome: 'completed', stages: [] }),
      new Map(),
    );
    expect(hostile).not.toMatch(/<script|<img|<h1>owned|<svg onload|<!--|onerror="/);
    expect(hostile.match(/<\/style>/g)).toHaveLength(1);
    expect(visible(hostile)).toContain(`<img src=x onerror="document.title='owned'">`);
    expect(visible(hostile)).toContain('&lt;script&gt; &amp; &#60;');
    expect(hostile).not.toMatch(/[[\p{Cc}--\n]\u202A-\u202E]/v);
  });

  it('shows figures as images only: small ones from the page itself, large ones from their file', () => {
    const [folder = ''] = model.stages[2]?.figures.map((figure) => figure.folder) ?? [];
    const files = [
      { name: 'small "x".svg', href: `${folder}/small%20%22x%22.svg`, dataUri: 'data:image/svg+xml;base64,PHN2Zy8+' },
      { name: 'large.png', href: `${folder}/large.png`, dataUri: null },
    ];
    const withFigures = htmlReport(model, new Map([[folder, files]]));
    expect(withFigures).toContain(
      '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="n10, plot, seed 7: small &quot;x&quot;.svg"',
    );
    expect(withFigures).toContain(`<img src="${folder}/large.png"`);
    expect(page).not.toContain('<img');
  });

  it('says that the program could not be read instead of linking to nothing', () => {
    const unread = htmlReport(
      buildReport({ resolved: example.run, events: example.events, outcome: 'completed', stages: [] }),
      new Map(),
    );
    expect(visible(unread)).toContain('Its program could not be read.');
    expect(unread).not.toContain('href="best/');
    expect(page).toContain('href="best/README.md"');
  });

  it('is a page for a run that found nothing', () => {
    const nothing = visible(
      htmlReport(buildReport({ resolved: exampleRun(), events: [], outcome: 'no_good_node', stages: [] }), new Map()),
    );
    expect(nothing).toContain('ended without a good node');
    expect(nothing).toContain('No good node: nothing was found');
    expect(nothing).not.toContain('The best program');
  });
});
