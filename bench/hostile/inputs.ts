import { GROUND_TRUTH } from '../make-body.ts'

/** One input that was made to cost much: a run in the plain form, its ground truth, and what a scripted model answers. */
export interface HostileInput {
  readonly name: string
  trajectory(): object
  readonly ground_truth?: object
  /** Quotes of the scripted answer. */
  readonly quotes?: () => readonly string[]
}

const MB = 1_000_000
const PART = 950_000
const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

type Short = { readonly actor: string; readonly text: string }
const user: Short = { actor: 'user', text: 'Build the project.' }
/** The distractor is seen nowhere: the search for it goes on to the end. */
const notice: Short = { actor: 'tool_output', text: GROUND_TRUTH.cue.text }
const action = (text: string): Short => ({ actor: 'agent_action', text })
const output = (text: string): Short => ({ actor: 'tool_output', text })
/** Output longer than one part may be. */
const outputs = (piece: string, length: number): Short[] =>
  many(Math.ceil(length / PART), () => output(fill(piece, PART)))
const run = (...steps: readonly Short[]): object => ({ steps: [user, notice, ...steps] })
const many = (count: number, make: (index: number) => Short): Short[] =>
  Array.from({ length: count }, (_, i) => make(i))
const absent = (count: number) =>
  ({
    ...GROUND_TRUTH,
    cue: {
      text: GROUND_TRUTH.cue.text,
      anchors: many(count, (i) => action(`absent-anchor-${i}-zz`)).map((one) => one.text),
      action_anchors: many(count, (i) => action(`curl http://absent-${i}.example/x`)).map((one) => one.text),
    },
  }) as const

/** The inputs of issue 12, item 9, and those that were found slow since. */
export const HOSTILE: readonly HostileInput[] = [
  { name: 'plain output, 31 MB', trajectory: () => run(...outputs('a line of plain output, with words\n', 30 * MB)) },
  {
    name: 'shell lines, 2 MB in one call, 50 anchors',
    trajectory: () => run(action(fill('echo one && cat file | grep two > out; x=1\n', 2 * MB))),
    ground_truth: absent(50),
  },
  {
    name: 'shell, 30 MB in 3,000 calls',
    trajectory: () => run(...many(3000, (i) => action(fill(`if [ -f a${i} ]; then echo "$x" > b; fi\n`, 10_000)))),
  },
  {
    name: 'shell, 7 MB in one call',
    trajectory: () => run(action(fill('for i in $(seq 9); do { echo "$i"; } >> f; done; a="$b$c"\n', 7 * MB))),
  },
  {
    name: 'quotes and backslashes in shell, 20 MB',
    trajectory: () => run(...many(200, () => action(fill(`e"c"h\\o 'm'ake rele\\ase; `, 100_000)))),
  },
  {
    name: '5,000 steps that write and run one file',
    trajectory: () => run(...many(5000, (i) => action(`cat > r.sh <<'E'\n${fill('echo x\n', 3000)}E\nbash r.sh ${i}`))),
  },
  {
    name: 'one-character parts, 99,000',
    trajectory: () => ({ steps: [user, notice, { parts: many(99_000, () => action('x')) }] }),
  },
  { name: 'an escape every second character, 31 MB', trajectory: () => run(...outputs('\u200ba', 14 * MB)) },
  { name: 'escapes \\u0061, 31 MB', trajectory: () => run(...outputs('\\u0061', 14 * MB)) },
  { name: 'mixed escapes, 31 MB', trajectory: () => run(...outputs('\\n&amp;%41\\\\"\\x41', 14 * MB)) },
  { name: 'one letter, 31 MB', trajectory: () => run(...outputs('m', 30 * MB)) },
  {
    name: '50 anchors and 50 action anchors, none of them there',
    trajectory: () => run(...outputs('absent-anchor- curl http://absent-', 30 * MB)),
    ground_truth: absent(50),
  },
  { name: 'an anchor 1 million times', trajectory: () => run(...outputs('make release-7f3a ', 19 * MB)) },
  {
    name: 'messages with an anchor 100,000 times',
    trajectory: () =>
      run(...many(100, () => ({ actor: 'agent_message', text: fill('will not make release-7f3a. ', 28_000) }))),
    ground_truth: { ...GROUND_TRUTH, cue: { ...GROUND_TRUTH.cue, acted_by: 'message' } },
  },
  {
    name: 'short quotes, a million lines',
    trajectory: () => run(...outputs('ab\n', 22 * MB)),
    quotes: () => many(59, (i) => action(`ab${i % 7 === 0 ? '' : '  '}\n`)).map((one) => one.text),
  },
  {
    name: 'periodic quotes of 1,000 characters',
    trajectory: () => run(...outputs('abcdefghij ', 30 * MB)),
    quotes: () => many(59, (i) => action(`${fill('abcdefghij  ', 990)}${i}x`)).map((one) => one.text),
  },
  {
    name: 'quote escapes that would expand',
    trajectory: () => run(output('nothing')),
    quotes: () => many(59, () => action(fill('⟨U+200B×99999⟩', 990))).map((one) => one.text),
  },
]
