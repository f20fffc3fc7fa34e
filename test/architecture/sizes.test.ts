import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measure, measureFile, type Measured } from '../../scripts/measure.ts';
import { PACKAGE_ROOT } from '../../src/adapters/project.ts';

const longerThan = (limit: number, list: readonly Measured[]) =>
  list.filter(({ lines }) => lines > limit).map(({ where, lines }) => `${where} (${lines})`);

function median(list: readonly Measured[]): number {
  const sorted = list.map(({ lines }) => lines).sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

describe('the source stays small', () => {
  const source = measure(join(PACKAGE_ROOT, 'src'));

  test('no file has more than 300 lines, half of them at most 90', () => {
    expect(longerThan(300, source.files)).toEqual([]);
    expect(median(source.files)).toBeLessThanOrEqual(90);
  });

  test('no function has more than 60 lines, half of them at most 10', () => {
    expect(longerThan(60, source.functions)).toEqual([]);
    expect(median(source.functions)).toBeLessThanOrEqual(10);
  });

  test('every export says what it is for', () => {
    expect(source.undocumented).toEqual([]);
  });

  test('at most two in a thousand lines step out of the type system', () => {
    expect(source.escapes.slice(Math.floor((2 * source.codeLines) / 1000))).toEqual([]);
  });
});

describe('the measure itself', () => {
  test('counts the lines of a file and of every function with a body', () => {
    const text =
      'const one = () => {\n  return 1;\n};\nclass Two {\n  method(): void {\n    one();\n  }\n}\nconst short = () => 2;\n';
    const found = measureFile('a.ts', text);
    expect(found.files).toEqual([{ where: 'a.ts', lines: 9 }]);
    expect(found.functions).toEqual([
      { where: 'a.ts:1 one', lines: 3 },
      { where: 'a.ts:5 method', lines: 3 },
    ]);
  });

  test('finds exports without a doc comment, and lets a type share the comment of its schema', () => {
    const text = [
      '/** Said. */',
      'export const Said = 1;',
      'export type Said = typeof Said;',
      '// not a doc comment',
      'export function unsaid() {}',
      'export interface Silent {}',
    ];
    expect(measureFile('a.ts', text.join('\n')).undocumented).toEqual(['a.ts: unsaid', 'a.ts: Silent']);
  });

  test('finds any, as and !, but not as const', () => {
    const text = 'let a: any;\nconst b = a as string;\nconst c = b!;\nconst d = [1] as const;\n';
    expect(measureFile('a.ts', text).escapes).toEqual(['a.ts:1', 'a.ts:2', 'a.ts:3']);
  });

  test('tells lines of code from lines of comment', () => {
    const text = '/**\n * Two.\n */\nconst a = 1; // beside code\n\n// alone\nconst b = `x\ny`;\n';
    expect(measureFile('a.ts', text)).toMatchObject({ codeLines: 3, commentLines: 4 });
  });
});
