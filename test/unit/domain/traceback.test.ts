import { describe, expect, test } from 'vitest';
import { lastException, lastLine, plainText } from '../../../src/domain/traceback.ts';

const HEADER = 'Traceback (most recent call last):';
const FRAME = '  File "train.py", line 3, in <module>\n    fit(x)\n    ~~~^^^';

describe('lastException', () => {
  test.each([
    ['a plain one', `epoch 1\n${HEADER}\n${FRAME}\nValueError: bad depth\n`, 'ValueError: bad depth'],
    ['one without a message', `${HEADER}\n${FRAME}\nKeyboardInterrupt`, 'KeyboardInterrupt'],
    [
      'one with a dotted name',
      `${HEADER}\n${FRAME}\nnumpy.linalg.LinAlgError: Singular matrix`,
      'numpy.linalg.LinAlgError: Singular matrix',
    ],
    [
      'the last of a chain',
      `${HEADER}\n${FRAME}\nKeyError: 'x'\n\nThe above exception was the direct cause of the following exception:\n\n${HEADER}\n${FRAME}\nValueError: no x\n`,
      'ValueError: no x',
    ],
    [
      'the first line of a long message',
      `${HEADER}\n${FRAME}\nValueError: two lines\n  of it\nand more`,
      'ValueError: two lines',
    ],
    [
      'a group',
      `  + Exception Group ${HEADER}\n  |   File "a.py", line 1\n  | ExceptionGroup: both (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n`,
      'ExceptionGroup: both (2 sub-exceptions)',
    ],
    [
      'a program that cannot be read',
      `  File "train.py", line 1\n    fit(\n       ^\nSyntaxError: '(' was never closed\n`,
      "SyntaxError: '(' was never closed",
    ],
    ['a coloured one', `${HEADER}\n${FRAME}\n\u001b[1;35mValueError\u001b[0m: \u001b[35mred\u001b[0m`, 'ValueError: red'],
    ['one that was cut off', `${HEADER}\n  File "train.py"`, 'an exception whose message was cut off'],
  ])('finds %s', (_, output, expected) => {
    expect(lastException(output)).toBe(expected);
  });

  test.each(['', 'all went well', 'ValueError: only printed', 'Fatal Python error: Segmentation fault'])(
    'finds none in %j',
    (output) => {
      expect(lastException(output)).toBeNull();
    },
  );
});

test('lastLine is the last line with something in it', () => {
  expect(lastLine('one\n two \n\n  \n')).toBe('two');
  expect(lastLine(' \n')).toBeNull();
});

test('plainText drops what a terminal would act on, and keeps tabs and line ends', () => {
  expect(plainText('a\u0007b\u001b[2Kc\r\n\td')).toBe('abc\n\td');
});
