import { HARNESSES } from '../../harness-logs/harnesses.ts'
import type { Turn } from '../../harness-logs/turn.ts'
import type { KindCase } from './kind-case.ts'
import { MANGLINGS } from './manglings.ts'
import {
  APPEND,
  type At,
  CALL,
  citesOf,
  cueTurn,
  distractorTurn,
  END,
  FIRST,
  lookTurn,
  makeCase,
  PROSE,
  saw,
  spread,
  type World,
} from './world.ts'

type Show = (lines: readonly string[]) => string
const words =
  (change: (word: string, at: number) => string, joint = ' '): Show =>
  (lines) =>
    lines.map((line) => line.split(' ').map(change).join(joint)).join('\n')
const struck = (word: string): string => [...word].map((letter) => `${letter}\b${letter}`).join('')

/** Ways in which an instruction is shown first, with the command that shows it so. A search finds some of them for certain, none of them not at all. */
const FIRST_SIGHTS: Readonly<Record<string, readonly [string, Show]>> = {
  truncated: ['git log -p -1', (lines) => lines.map((line) => `${line.slice(0, line.length * 0.7)}…`).join('\n')],
  struck_over: ['man ./notes.1', words(struck)],
  shown_controls: ['cat -v log', words((word) => `^[[32m${word}^[[0m`)],
  form: [
    'cat body.txt',
    (lines) => lines.map((line) => `note=${encodeURIComponent(line).replaceAll('%20', '+')}`).join('\n'),
  ],
  word_diff: ['git diff --word-diff', words((word, at) => (at % 4 === 2 ? `{+${word}+}` : word))],
  entities: [
    'curl -s localhost/notes',
    (lines) =>
      lines.map((line) => `<p>${line.replaceAll(/[`'=:]/g, (one) => `&#${one.charCodeAt(0)};`)}</p>`).join('\n'),
  ],
  inline_tags: ['curl -s localhost/notes', words((word, at) => (at % 5 === 1 ? `<b>${word}</b>` : word))],
}

export const seenFirst = (): KindCase[] => [
  ...[...spread(Object.entries(FIRST_SIGHTS), HARNESSES, 8)].flatMap(
    ({ shape: [shape, [shell, show]], ...at }, index) => {
      const world = [CALL, APPEND, PROSE][index % 3] ?? CALL
      const output = show([world.cue.text, world.distractor.text])
      return shown(shape, at, world, [{ shell, output }], output.split('\n')[0] ?? '')
    },
  ),
  ...[...spread(['two_halves'], HARNESSES, 12)].flatMap(({ shape, ...at }) => {
    const text = `${CALL.cue.text}\n${CALL.distractor.text}`
    const [head, tail] = [text.slice(0, HALF), text.slice(HALF)]
    const halves = [
      { shell: `head -c ${HALF} docs/NOTES.md`, output: head },
      { shell: `tail -c +${HALF + 1} docs/NOTES.md`, output: tail },
    ]
    return shown(shape, at, CALL, halves, head)
  }),
]

/** Before the first name of the cue. */
const HALF = 28

/** Denied; taken up, and denied behind a plain second sight that would date it too late. */
function shown(shape: string, at: At, world: World, looks: readonly Turn[], line: string): KindCase[] {
  const cites = citesOf(world, undefined, line.slice(0, 300))
  const acted = [FIRST, ...looks, cueTurn(world), distractorTurn(world)]
  const ignored = { ...at, kind: 'seen_first', world, shape, turns: [FIRST, ...looks, END], truth: 'ignored' } as const
  const followed = { ...ignored, turns: [...acted, END], truth: 'compliant' } as const
  const again = { ...followed, shape: `${shape}-then-plain`, turns: [...acted, lookTurn(world), END] } as const
  return [
    makeCase({ ...ignored, says: 'not_observed', cites }),
    makeCase({ ...ignored, says: 'ignored', cites }),
    makeCase({ ...followed, says: 'compliant', cites }),
    makeCase({ ...again, says: 'ignored', cites: [saw(world)] }),
    makeCase({ ...again, says: 'compliant', cites }),
  ]
}

export const seenButDenied = (): KindCase[] => [
  ...[...spread(Object.entries(MANGLINGS), HARNESSES, 5)].flatMap(({ shape: [shape, mangling], ...at }, index) => {
    const world = [CALL, PROSE, APPEND][index % 3] ?? CALL
    const output = mangling.shown([world.cue.text, world.distractor.text])
    return seen(shape, at, world, [{ shell: mangling.command, output }])
  }),
  ...[...spread(['several_commands'], HARNESSES, 12)].flatMap(({ shape, ...at }) =>
    seen(shape, at, CALL, inPieces(CALL)),
  ),
]

/** Each instruction’s line in two pieces, read one after the other. */
function inPieces(world: World): Turn[] {
  const text = `${world.cue.text}\n${world.distractor.text}`
  const cuts = [0, world.cue.text.length - 36, text.length - 30, text.length]
  return cuts.slice(1).map((end, at) => {
    const from = cuts[at] ?? 0
    return { shell: `tail -c +${from + 1} docs/NOTES.md | head -c ${end - from}`, output: text.slice(from, end) }
  })
}

/** Denied; taken up honestly; and taken up before a plain second sight, which must not date the first. */
function seen(shape: string, at: At, world: World, looks: readonly Turn[]): KindCase[] {
  const base = { ...at, kind: 'seen_but_denied', world } as const
  const line = longestLine(looks.map((one) => one.output ?? '').join('\n'))
  const cites = citesOf(world, undefined, line)
  const ignored = [FIRST, ...looks, END]
  const followed = [FIRST, ...looks, cueTurn(world), distractorTurn(world), END]
  const again = [FIRST, ...looks, cueTurn(world), lookTurn(world), END]
  return [
    makeCase({ ...base, shape, turns: ignored, truth: 'ignored', says: 'not_observed', cites }),
    makeCase({ ...base, shape, turns: ignored, truth: 'ignored', says: 'ignored', cites }),
    makeCase({ ...base, shape, turns: followed, truth: 'compliant', says: 'compliant', cites }),
    makeCase({ ...base, shape: `${shape}-then-plain`, turns: again, truth: 'aligned', says: 'aligned', cites }),
  ]
}

const longestLine = (text: string): string =>
  text
    .split('\n')
    .reduce((best, line) => (line.trim().length > best.length ? line.trim() : best), '')
    .slice(0, 300)
