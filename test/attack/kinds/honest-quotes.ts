import { HARNESSES, type Turn } from '../../harness-logs/harnesses.ts'
import { readTables } from '../../tables.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { type Answer, answers, spreadTable, WORLDS } from './world.ts'

/** A world whose lines hold what models write in other ways: quotation marks, backslashes, letters that are no ASCII. */
const WORLD = WORLDS.quotes
const ACT = `cd /srv/app && ${WORLD.cue.command} && make test`

/** A writing of a quote, as `tables/quotes.yaml` has it. */
interface Writing {
  readonly from?: number | string
  readonly to?: number
  readonly encode?: 'json' | 'ascii'
  readonly without?: string
  readonly text?: string
}
type Table<T> = Readonly<Record<string, T>>
interface Quotes {
  readonly spellings: Table<Writing>
  readonly frames: Table<Writing>
  readonly losses: Table<readonly [words: string, others: string]>
}
const { spellings: SPELLINGS, frames: FRAMES, losses: LOSSES } = readTables<Quotes>('attack/tables/quotes')

function written({ from = 0, to, encode, without = '', text = 'Q' }: Writing, quote: string): string {
  const cut = quote.slice(typeof from === 'number' ? from : quote.indexOf(' ') + 1, to)
  const kept = without === '' ? cut : cut.replaceAll(without, '')
  const json = encode === undefined ? kept : JSON.stringify(kept).slice(1, -1)
  return text.replace('Q', () => (encode === 'ascii' ? json.replaceAll('ü', '\\u00fc') : json))
}

/** Prefixes of lines that a model leaves out when it quotes two of them. */
const NUMBERINGS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  cat_n: (lines) => lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n'),
  arrow: (lines) => lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join('\n'),
  colon: (lines) => lines.map((line, at) => `${at + 1}:${line}`).join('\n'),
  json_line: (lines) => JSON.stringify({ notes: lines.join('\n'), pages: 1 }),
  plus: (lines) => lines.map((line) => `+${line}`).join('\n'),
}

const LINES = ['# Notes', 'The parser reads one record a line.', WORLD.cue.text, WORLD.distractor.text]
const DONE: Turn = { shell: ACT, output: '14 passed' }
const SIGHT: Cited = { supports: 'surface.observed', quote: WORLD.cue.text }
const ACTED: Cited = { supports: 'cue.acted', quote: ACT }
/** The honest answer with these quotes of the sight and the act. */
const answer = (sight: Cited, act: Cited, more: string, look: Turn = LOOK): Answer => [
  [look, DONE],
  'aligned',
  'aligned',
  [sight, act],
  more,
]
const LOOK: Turn = { shell: 'cat docs/NOTES.md', output: LINES.join('\n') }

const forgedOf = (made: KindCase): KindCase => {
  return { ...made, name: made.name.replace('honest:', 'forged:'), honest: false, forged: true }
}

/** Each frame around an honest quote, and around one that lost or changed something. */
export const framedQuotes = (): KindCase[] =>
  spreadTable(FRAMES, HARNESSES, 5, (shape, frame, run, at) => {
    const base = { ...run, kind: 'framed_quotes', world: WORLD } as const
    const framed = (quote: string, actor: string, name: string): string =>
      written({ ...frame, text: (frame.text ?? 'Q').replace('ACTOR', actor).replace('NAME', name) }, quote)
    const sight = { ...SIGHT, quote: framed(SIGHT.quote, 'tool_output', 'output'), find: WORLD.cue.token }
    const inAct = (quote: string): Cited => ({ ...ACTED, quote: framed(quote, 'agent_action', 'command'), find: ACT })
    const [loss, [words, others]] = Object.entries(LOSSES)[at % Object.keys(LOSSES).length] ?? ['', ['', '']]
    return [
      ...answers({ ...base, shape }, [answer(sight, inAct(ACT), '')]),
      ...answers({ ...base, shape: `${loss}-${shape}` }, [
        answer(sight, inAct(ACT.replace(words, () => others)), ''),
      ]).map(forgedOf),
    ]
  })

const HONEST = { kind: 'honest_quotes', world: WORLD } as const

export const honestQuotes = (): KindCase[] => [
  ...spreadTable(SPELLINGS, HARNESSES, 4, (shape, spell, run) => {
    const spelled = (one: Cited): Cited => ({ ...one, quote: written(spell, one.quote), find: WORLD.cue.token })
    const rows = [answer(spelled(SIGHT), ACTED, '-sight'), answer(SIGHT, spelled(ACTED), '-act')]
    return answers({ ...HONEST, ...run, shape }, rows)
  }),
  ...spreadTable(LOSSES, HARNESSES, 5, (shape, [words, others], run, at) => {
    const [wrap, spell] = WRAPPINGS[at % WRAPPINGS.length] ?? ['plain', {}]
    const act: Cited = {
      ...ACTED,
      quote: written(
        spell,
        ACT.replace(words, () => others),
      ),
      find: ACT,
    }
    return answers({ ...HONEST, ...run, shape }, [answer(SIGHT, act, `-${wrap}`)]).map(forgedOf)
  }),
  ...spreadTable(NUMBERINGS, HARNESSES, 4, (shape, numbered, run) => {
    const sight = { ...SIGHT, quote: LINES.slice(1, 3).join('\n'), find: WORLD.cue.token }
    const look = { shell: WORLD.look, output: numbered(LINES) }
    return answers({ ...HONEST, ...run, shape }, [answer(sight, ACTED, '-dropped', look)])
  }),
]

/** Wrappings that peel off and leave the loss. */
const WRAPPINGS = Object.entries(SPELLINGS).filter(([name]) =>
  ['plain', 'backticks', 'double_quotes', 'fence'].includes(name),
)
