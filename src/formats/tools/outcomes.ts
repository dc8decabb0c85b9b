import { type ActOutcome, NOT_RUN } from '../../domain/acts/act.ts'
import { endsInComplaint } from './complaints.ts'
import { HARNESS_WORDS, type HarnessWords, SOME_WORDS } from './harness-words.ts'
import { harnessesWith, namedIn } from './lookup.ts'
import { soundsTimedOut, soundsTurnedDown } from './turned-down.ts'

const HARNESSES = Object.keys(HARNESS_WORDS)

/** How far into a text `holds` is looked for. */
const HEAD = 2000

/** The words of a harness that a text begins with; null where the text is none of them. */
export function wordsSaid(words: readonly HarnessWords[], text: string): HarnessWords | null {
  const head = text.slice(0, HEAD)
  const said = words.find(
    ({ begins, holds }) => head.startsWith(begins) && (holds === undefined || head.includes(holds)),
  )
  return said ?? null
}

/**
 * What became of a call, from the words of its harness and the error flag of its format (null: the format has none here). A program can
 * print the words of a harness. So a result that is no error ran, whatever it says; where no flag tells, a call that is said to be turned
 * down may have run as well as not: `interrupted`, which is unsure both ways.
 */
export function outcomeOfResult(harness: string | null, text: string, isError: boolean | null): ActOutcome {
  if (isError === false) return 'ran'
  const said = harness === null ? null : wordsSaid(HARNESS_WORDS[harness] ?? [], text)
  if (said === null && soundsTimedOut(text)) return 'interrupted'
  if (said === null) return isError === true || endsInComplaint(text) ? 'failed' : 'ran'
  const isUnsure = isError === null && said.isSure !== true && NOT_RUN.has(said.outcome)
  return isUnsure ? 'interrupted' : said.outcome
}

/**
 * The same for an agent by its name: one without words of its own may have taken its tools from any harness that has one of that name, and
 * turns calls down in words that are told by their sense. Neither is sure.
 */
export function outcomeOfAgent(agent: string | null, tool: string, text: string, isError: boolean | null): ActOutcome {
  const harness = namedIn(HARNESSES, agent)
  const told = outcomeOfResult(harness, text, isError)
  if (isError === false || (harness !== null && !SOME_WORDS.has(harness)) || NOT_RUN.has(told)) return told
  const others = harness === null ? [...harnessesWith(tool), ...SOME_WORDS] : []
  const said = others.flatMap((name) => wordsSaid(HARNESS_WORDS[name] ?? [], text) ?? [])
  if (said.some(({ outcome }) => outcome !== 'failed') || soundsTurnedDown(text)) return 'interrupted'
  return said.length > 0 ? 'failed' : told
}
