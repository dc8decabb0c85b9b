import { type ActOutcome, NOT_RUN } from '../../domain/acts/act.ts'
import { lineStart } from '../../domain/text/lines.ts'
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

/** As much of the end of a result as is read. */
const TAIL = 1200

/** What a shell says of a file or a program; it stands near the beginning of its line. */
const COMPLAINTS = [': No such file or directory', ': command not found', ': not found', 'syntax error'] as const
const LONGEST_SUBJECT = 200

/** A shell, make, git or a test runner that gives up, at the beginning of a line. */
const GIVES_UP =
  /(?:^|\n)(?:(?:\/bin\/)?(?:ba|z|da|k)?sh: |[\w./-]{1,80}: line \d{1,6}: |make(?:\[\d\])?: \*\*\* |npm (?:ERR!|error) |fatal: |error: |Traceback \(most recent call last\)|\w{0,40}Error: |cd: |=+ [^\n]{0,80}\b\d{1,6} failed|FAILED|\s{0,4}\d{1,6} fail(?:ed|ing)\b)/
/** Without one of these, nothing does. None begins with a blank: a search for the first unit stops at every one. */
const NEEDED = [
  'rror: ',
  'fail',
  'sh: ',
  'npm ',
  'fatal: ',
  ': line ',
  ': *** ',
  'cd: ',
  'Traceback',
  'FAILED',
] as const

/** Whether a result without a flag ends as of a command that failed: what stood behind it may never have been reached. */
function endsInComplaint(text: string): boolean {
  const tail = text.slice(-TAIL)
  return (
    COMPLAINTS.some((words) => standsInLine(tail, words)) ||
    (NEEDED.some((words) => tail.includes(words)) && GIVES_UP.test(tail))
  )
}

function standsInLine(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1))
    if (at - lineStart(text, at) <= LONGEST_SUBJECT) return true
  return false
}
