import { describe, expect, it } from 'vitest';
import { htmlTree } from '../../../src/report/html-tree.ts';
import { buildReport } from '../../../src/report/model.ts';
import { exampleRun, sketchJournal, type JournalSketch } from '../../support/journal.ts';

function treeOf(write: (journal: JournalSketch) => void): string {
  const resolved = exampleRun();
  const journal = sketchJournal(resolved);
  journal.begin('initial_implementation');
  write(journal);
  const [stage] = buildReport({ resolved, events: journal.events, outcome: 'completed', stages: [] }).stages;
  return htmlTree(stage?.tree ?? [], 'Tree').toString();
}

/** Nesting alone: `[n1[n2]]`. */
const nesting = (html: string): string =>
  [...html.matchAll(/<ul|<\/ul>|<b>(n\d+)<\/b>/g)].map(([tag, node]) => node ?? (tag === '</ul>' ? ']' : '[')).join('');

describe('the tree in HTML', () => {
  it('nests children in their parents, in order', () => {
    const html = treeOf((journal) => {
      journal.node({ id: 1, scores: [0.9] });
      journal.node({ id: 2, parent: 1, scores: [0.8] });
      journal.node({ id: 3, parent: 2, scores: [0.8] });
      journal.node({ id: 4, parent: 1, scores: [0.8] });
      journal.node({ id: 5, scores: [0.8] });
    });
    expect(nesting(html)).toBe('[n1[n2[n3]n4]n5]');
  });

  it('stops nesting where a phone has no more room, keeps the order and names the parents from there', () => {
    const html = treeOf((journal) => {
      for (let id = 1; id <= 16; id++) journal.node({ id, parent: id === 1 ? null : id - 1, scores: [0.9] });
    });
    expect(nesting(html)).toBe('[n1[n2[n3[n4[n5[n6[n7[n8[n9[n10[n11[n12[n13n14n15n16]]]]]]]]]]]]]');
    expect(html).toContain('from n15');
    expect(html).not.toContain('from n12');
  });

  it('has a word for what a person pruned, unless its failure says so', () => {
    const html = treeOf((journal) => {
      journal.node({ id: 1, scores: [0.9] });
      journal.node({ id: 2, scores: [0.8] });
      journal.steered('n2 pruned', 2);
      journal.node({ id: 3, parent: 2, reason: 'pruned' });
    });
    expect(html.match(/>pruned<\/span>/g)).toHaveLength(1);
    expect(html.indexOf('>pruned</span>')).toBeGreaterThan(html.indexOf('<b>n2</b>'));
    expect(html).toContain('failed: pruned');
  });

  it('says state, reason and details in words, not by colour alone', () => {
    const html = treeOf((journal) => {
      journal.node({ id: 1, scores: [0.9], plan: 'A plan.' });
      journal.node({ id: 2, reason: 'timeout', message: 'ran longer than 60 s' });
      journal.replicas(1, [0.8, null, 0.9]);
    });
    expect(html).toContain('>best</span>');
    expect(html).toContain('failed: timeout');
    expect(html).toContain('Plan: A plan.');
    expect(html).toContain('Failure: ran longer than 60 s');
    expect(html).toMatch(/Fresh seeds: 0\.8500 \(95 % interval .*, n = 2 fresh seeds\): 0\.8000, 0\.9000/);
    expect(html).toContain('Failed seeds: 1');
    expect(html).toContain('href="initial_implementation/n1/"');
  });

  it('holds thousands of nodes', () => {
    const html = treeOf((journal) => {
      for (let id = 1; id <= 3000; id++) journal.node({ id, parent: id === 1 ? null : Math.ceil(id / 2), scores: [0.9] });
    });
    expect(html.match(/<li>/g)).toHaveLength(3000);
  });
});
