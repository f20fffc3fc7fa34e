import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { invalidFile, readYamlFile, shownPath } from '../../../src/adapters/yaml-file.ts';
import { PlatformFailure } from '../../../src/domain/failure.ts';
import type { Problem } from '../../../src/domain/schema-problems.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function write(text: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'my.yaml');
  writeFileSync(path, text);
  return path;
}

async function refused(path: string): Promise<PlatformFailure> {
  const error: unknown = await readYamlFile(path, 'config file').then(
    () => new Error('it was read'),
    (failure: unknown) => failure,
  );
  if (!(error instanceof PlatformFailure)) throw error;
  expect(error.type).toBe('ConfigInvalid');
  expect(error.fix).not.toBe('');
  return error;
}

const problem = (path: Problem['path'], at: Problem['at'] = 'value'): Problem => ({ path, at, what: 'wrong', fix: '' });

describe('readYamlFile', () => {
  it('reads YAML and JSON, merge keys and a byte order mark included', async () => {
    expect((await readYamlFile(write('a: &x {b: 1}\nc: {<<: *x, d: [2]}'), 'f')).value).toEqual({
      a: { b: 1 },
      c: { b: 1, d: [2] },
    });
    expect((await readYamlFile(write('{"a": {"b": null}}'), 'f')).value).toEqual({ a: { b: null } });
    expect((await readYamlFile(write('\uFEFFa: 1\r\nb: 2\r\n'), 'f')).value).toEqual({ a: 1, b: 2 });
  });

  it('knows the place of every key and value', async () => {
    const path = write('a:\n  b: 1\n  list:\n    - x\n    - {c: 5}\nempty:\n');
    const { place } = await readYamlFile(path, 'f');
    expect(place(problem(['a', 'b']))).toBe(`${path}:2:6`);
    expect(place(problem(['a', 'b'], 'key'))).toBe(`${path}:2:3`);
    expect(place(problem(['a', 'list', 1, 'c']))).toBe(`${path}:5:11`);
    expect(place(problem(['a', 'list', 0]))).toBe(`${path}:4:7`);
    expect(place(problem(['a', 'missing', 'deep']))).toBe(`${path}:1:1`);
    expect(place(problem(['a', 'list', 7]))).toBe(`${path}:3:3`);
    expect(place(problem(['empty'], 'key'))).toBe(`${path}:6:1`);
    expect(place(problem([]))).toBe(`${path}:1:1`);
  });

  it('follows an alias to where its value is written', async () => {
    const path = write('x: &x\n  b: 1\na: *x\n');
    expect((await readYamlFile(path, 'f')).place(problem(['a', 'b']))).toBe(`${path}:2:6`);
  });

  it('puts problems in the order of the file', async () => {
    const { inOrder } = await readYamlFile(write('a: 1\nb: 2\nc: 3'), 'f');
    expect(inOrder([problem(['c']), problem(['a']), problem(['b'])]).map(({ path }) => path[0])).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['a: 1\na: 2', ':2:1 a: this key is written twice here; keep one of them'],
    ['a:\n\tb: 1', ':2:1 a tab indents this line; indent with spaces'],
    ['a: 1\n---\nb: 2', ':2:1 a second document starts here'],
    ['a: b: c', ':1:4 there is a second colon on this line'],
    ['a: [1, 2', ':1:9 flow sequence'],
    ['a: "open', ':1:9 missing closing'],
    ['a: @x', ':1:4 a value cannot start with this character'],
    ['a: !!python/object:os.system {}', ':1:4 a tag (!...) stands before this value'],
    ['a: *nowhere', 'its anchors cannot be followed'],
    [`a: ${'['.repeat(5000)}`, 'nested too deeply'],
    ['one\ntwo: 1', ':1:1 a key and its value must stand on one line'],
  ])('refuses %j with the place', async (text, words) => {
    expect((await refused(write(text))).message).toContain(words);
  });

  it('does not unfold a file that would fill the memory', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, index) => `l${index + 1}: &l${index + 1} [${Array(10).fill(`*l${index}`).join(', ')}]`,
    );
    expect((await refused(write(['l0: &l0 [x]', ...rows].join('\n')))).message).toContain('its anchors cannot be followed');
  });

  it('lists thirty problems of a file and counts the others', async () => {
    const { message } = await refused(write('a: 1\n'.repeat(100)));
    expect(message.split('\n')).toHaveLength(31);
    expect(message).toMatch(/and 69 more$/);
  });

  it('says what else it is that cannot be read', async () => {
    const folder = temporaryFolder();
    expect((await refused(folder)).message).toContain('this is a folder');
    expect((await refused(write(Buffer.from([0xff, 0xfe, 0x61, 0x00])))).message).toContain('no text in UTF-8');
    expect((await refused(write('a: 1\0'))).message).toContain('binary');
    expect((await refused(write(' '.repeat(1024 * 1024 + 1)))).message).toContain('1048577 bytes');
  });

  it('does not wait for a named pipe', async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    expect((await refused(path)).message).toContain('no ordinary file');
  });

  it('names the nearest file when there is none of this name', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'quick.yaml'), 'a: 1');
    mkdirSync(join(folder, 'x'));
    const { message, fix } = await refused(join(folder, 'quik.yaml'));
    expect(message).toBe(`${join(folder, 'quik.yaml')}: there is no such config file`);
    expect(fix).toContain(join(folder, 'quick.yaml'));
    expect((await refused(join(folder, 'quick.yaml', 'a.yaml'))).message).toContain('there is no such config file');
    expect((await refused('bad\0name')).message).toContain('cannot be read');
  });

  it.skipIf(process.getuid?.() === 0)('says that reading is not permitted', async () => {
    const path = write('a: 1');
    chmodSync(path, 0);
    expect(await refused(path)).toMatchObject({
      message: expect.stringContaining('no permission') as string,
      fix: expect.stringContaining('chmod') as string,
    });
  });
});

describe('invalidFile', () => {
  it('gives each problem its line, with the hint only where there is no fix', () => {
    const failure = invalidFile([problem(['a', 0]), { ...problem(['b'], 'key'), fix: 'remove it' }, problem([])], {
      place: ({ path }) => `f:${path.length}:1`,
      hint: () => 'it is: a number',
      fix: 'mend it',
    });
    expect(failure.message.split('\n')).toEqual([
      'f:2:1 a.0: wrong; it is: a number',
      'f:1:1 b: wrong; remove it',
      'f:0:1 wrong; it is: a number',
    ]);
    expect(failure).toMatchObject({ type: 'ConfigInvalid', fix: 'mend it' });
  });
});

describe('a key of several lines', () => {
  it('is one line where it is named', () => {
    const failure = invalidFile([problem(['a\nb'], 'key')], { place: () => 'f:1:1', hint: () => '', fix: '' });
    expect(failure.message.split('\n')).toEqual(['f:1:1 a\\u000ab: wrong']);
  });
});

describe('shownPath', () => {
  it('is short inside the current folder, and whole outside', () => {
    expect(shownPath(join(process.cwd(), 'config', 'quick.yaml'))).toBe(join('config', 'quick.yaml'));
    expect(shownPath('/somewhere/else.yaml')).toBe('/somewhere/else.yaml');
  });
});
