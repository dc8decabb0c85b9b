import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/trajectory.ts'
import { decodeObject } from '../common/json-tree.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { HARNESSES, type HarnessWords, harnessesWith, namedIn, own } from './tool-table.ts'

const WITH_WORDS = Object.keys(HARNESSES).filter((name) => HARNESSES[name]?.words !== undefined)
const SOME_WORDS = Object.keys(HARNESSES).filter((name) => HARNESSES[name]?.some_words)

const HEAD = 2000

export function matchWords(harness: string | null, text: string): HarnessWords | null {
  const isSaid = ({ begins, holds }: HarnessWords): boolean =>
    text.startsWith(begins) && (holds === undefined || text.slice(0, HEAD).includes(holds))
  return own(HARNESSES, harness)?.words?.find(isSaid) ?? null
}

/** Derives the outcome of a call from its harness’s words and the error flag (null: none): without a flag, a rejected call may have run. */
export function outcomeOfResult(harness: string | null, text: string, isError: boolean | null): ActOutcome {
  if (isError === false) return 'ran'
  const words = matchWords(harness, text)
  if (words === null && (soundsTimedOut(text) || (harness !== null && mayNotHaveRun(harness, text, isError))))
    return 'interrupted'
  if (words === null) return isError === true || endsInComplaint(text) ? 'failed' : 'answered'
  const isUnsure = isError === null && words.isSure !== true && NOT_RUN.has(words.outcome)
  return isUnsure ? 'interrupted' : words.outcome
}

/** Tells whether a text without known words may tell a rejection, as other versions word it. A program's output is an error in Claude Code, too. */
function mayNotHaveRun(harness: string, text: string, isError: boolean | null): boolean {
  const isHarness = isError === true && harness !== 'claude-code'
  return (isHarness ? soundsTurnedDown(text) : soundsUnreceived(text)) && exitCodeInText(harness, text) === null
}

/** Derives the outcome by the agent's name. A harness without known words may use any harness's, or words whose sense decides: neither is certain. */
export function outcomeOfAgent(agent: string | null, tool: string, text: string, isError: boolean | null): ActOutcome {
  const harness = namedIn(WITH_WORDS, agent)
  const outcome = outcomeOfResult(harness, text, isError)
  if (isError === false || (harness !== null && !SOME_WORDS.includes(harness)) || NOT_RUN.has(outcome)) return outcome
  const others = harness === null ? [...harnessesWith(tool), ...SOME_WORDS] : []
  const told = others.flatMap((name) => matchWords(name, text)?.outcome ?? [])
  if (told.some((other) => other !== 'failed') || soundsTurnedDown(text)) return 'interrupted'
  return told.length > 0 ? 'failed' : outcome
}

const TAIL = 1200
/** A complaint of a shell about a file or a program, near the beginning of a line. */
const COMPLAINT = /^.{0,200}(?:: (?:No such file or directory|command not found|not found)|syntax error)/
/** Beginnings of lines with which a shell, make, git or a test runner gives up. */
const GIVES_UP =
  /^(?:(?:\/bin\/)?(?:ba|z|da|k)?sh: |[\w./-]{1,80}: line \d{1,6}: |make(?:\[\d\])?: \*\*\* |npm (?:ERR!|error) |fatal: |error: |Traceback \(most recent call last\)|\w{0,40}Error: (?!\(none\))|cd: |=+ [^\n]{0,80}\b\d{1,6} failed|FAILED|\s{0,4}\d{1,6} fail(?:ed|ing)\b)/

/** Tells whether a result without a flag ends like a failed command: the rest of the command may never have run. */
const endsInComplaint = (text: string): boolean =>
  text
    .slice(-TAIL)
    .split('\n')
    .some((line) => COMPLAINT.test(line) || GIVES_UP.test(line))

/** Bounds the texts of a harness, which are short: a longer text is output. */
export const LONGEST_WORDS = 1500
const WORDS_HEAD = 400

const TURNED_DOWN =
  'reject(?:ed|s)|declin(?:ed|es)|den(?:ied|ies)|block(?:ed|s)|skip(?:ped)?|cancel(?:l?ed|s)|refused|dismissed|vetoed|dis(?:allowed|approved)|prevent(?:ed|s)|forbidden|aborted|interrupted'
/** `not executed`, `did not approve`, `wasn’t allowed`; and calls that wait for approval. */
const NOT_DONE =
  "(?:not|n['’]t|never)(?: been| be)? (?:execut|r[au]n\\b|allow|approv|permit|perform|carried out|granted|confirm)|requires? (?:[a-z]{1,9} )?(?:approval|confirmation)"
const OF_A_CALL =
  'user|operator|human|reviewer|approver|admin(?:istrator)?|polic(?:y|ies)|guard(?:rail)?|sandbox|hook|tool|command|action|operation|call|execution|approval|request'

const SAYS_NO = new RegExp(`\\b(?:${TURNED_DOWN})\\b|${NOT_DONE}`, 'i')
const NAMES_CALL = new RegExp(`\\b(?:${OF_A_CALL})s?\\b`, 'i')
/** A sentence that is only a rejection: `Rejected: …`, `Not executed.` */
const ONLY_SAYS_NO = new RegExp(`^\\W{0,3}(?:${TURNED_DOWN}|not (?:executed|run|allowed|approved))\\W{0,3}$`, 'i')
/** Phrases that programs print about files, hosts and branches, for agents and people alike. */
const OF_A_PROGRAM =
  /\b(?:permission|access|authorization|authentication) denied\b(?! by)|\bconnection (?:was )?(?:refused|aborted)|\boperation not (?:permitted|allowed)|\[(?:remote )?rejected\]|\bpre-receive hook declined\b|\bdenied to\b/gi
const TIMED_OUT =
  /^(?:error: )?(?:(?:the |this |last |bash |shell ){0,3}(?:command|execution|process|tool(?: call)?)\b[^\n]{0,80}\b(?:timed out|exceeded|timeout (?:after|expired|reached))|timeout\b[^\n]{0,80}\b(?:after|elapsed|exceeded|expired|reached)\b|(?:[a-z_]{1,40}\.){0,3}timeout(?:error|expired|exception)\b)/i
const SENTENCE_END = /(?<=[.!?:;])\s+|\n/

const NAME = '["\'`]?[\\w.:/-]{1,80}["\'`]?'
const NOT_THERE =
  "(?:not (?:been )?(?:found|registered|available|enabled|supported|recogni[sz]ed)|unavailable|(?:does not|do not|doesn't|don't) exist)"
/** Phrases of tool-calling libraries for a call that no tool received: for its name, its arguments, or a person who was not asked yet. */
const NOT_TAKEN = new RegExp(
  [
    '\\bnot an? (?:valid|known|registered|available|supported|recogni[sz]ed) tool\\b',
    '\\b(?:unknown|unavailable|invalid|unregistered|unrecogni[sz]ed|nonexistent|unsupported|no such) tool(?:\\b(?! ?chain)|_)',
    `\\b(?:tool|function|action) (?:with (?:the )?name |named )?${NAME} (?:was |is |has )?${NOT_THERE}`,
    `^(?:error: )?(?:the )?(?:requested )?tool (?:was |is )?${NOT_THERE}`,
    '\\b(?:invalid|malformed|missing) (?:arguments?|input|parameters?) (?:for|to) (?:the )?(?:tool|function)\\b',
    '\\b(?:called|invoked) with (?:invalid|malformed|missing|incorrect) (?:arguments?|input|parameters?)\\b',
    `\\berror invoking tool ${NAME} with `,
    '\\b(?:awaiting|waiting for|pending) (?:[a-z]{1,9} )?(?:approval|confirmation)\\b',
    '\\bnot (?:in|on) (?:the |your )?allow-?list\\b|\\bnot allow-?listed\\b',
    '\\bduplicate (?:tool |function )?call\\b',
  ].join('|'),
  'i',
)

/** Tells whether a result begins with the words that no tool received the call. Never certain: a program can say so of tools of its own. */
const soundsUnreceived = (text: string): boolean =>
  text.length <= LONGEST_WORDS && NOT_TAKEN.test(text.slice(0, WORDS_HEAD))

/** Tells whether a result begins with words of rejection, by their sense. Never certain: a program can say the same of its own requests. */
export function soundsTurnedDown(text: string): boolean {
  if (soundsUnreceived(text)) return true
  const head = text.slice(0, WORDS_HEAD)
  if (text.length > LONGEST_WORDS || !SAYS_NO.test(head)) return false
  const sentences = head.replace(OF_A_PROGRAM, ' ').split(SENTENCE_END)
  return sentences.some((words) => ONLY_SAYS_NO.test(words) || (SAYS_NO.test(words) && NAMES_CALL.test(words)))
}

export const soundsTimedOut = (text: string): boolean => TIMED_OUT.test(text.slice(0, WORDS_HEAD))

const FAULTY = /^(?:error(?:ed|-text|-json)?|fail(?:ed|ure)?|incomplete)$/i

export const tellsFault = ({ error, isError, is_error, success, status, type }: Json): boolean =>
  [error, isError, is_error].some((flag) => flag === true || flag === 'true') ||
  success === false ||
  [status, type].some((word) => typeof word === 'string' && FAULTY.test(word))

/** Exit codes of a command stopped from outside, by a time limit, Ctrl-C or a signal: its progress is not known. */
const STOPPED: ReadonlySet<number> = new Set([124, 130, 137, 143, -2, -9, -15])

export const outcomeOfCode = (code: number): ActOutcome =>
  code === 0 ? 'ran' : STOPPED.has(code) ? 'interrupted' : 'failed'

export const hasEnded = (outcome: ActOutcome): boolean => outcome === 'ran' || outcome === 'answered'

/** Corrects the outcome of a call by the exit code of its command; null: no code is known. */
export const outcomeWithCode = (outcome: ActOutcome, code: number | null): ActOutcome =>
  code !== null && (hasEnded(outcome) || (outcome === 'failed' && STOPPED.has(code))) ? outcomeOfCode(code) : outcome

const EDGE = 1000
/** Members of a result, or of a JSON envelope, that hold the exit code. */
export const CODES = ['exit_code', 'exitCode', 'returncode', 'return_code'] as const

const EXIT_CODE =
  /\nExit Code: (-?\d{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]{0,200}){0,3}(?:\n<\/untrusted_context>)?\s{0,5}$/

/** The exit codes of commands, in the forms of their harnesses; programs print such words only without that harness. */
const FORMS: Readonly<Record<string, (text: string) => RegExpExecArray | null>> = {
  'claude-code': (text) => /^(?:Error: )?Exit code (-?\d{1,10})(?:\n|$)/.exec(text.slice(0, 50)),
  // Codex writes the code above the command's output.
  codex: (text) => ABOVE.exec(text.slice(0, EDGE).split('\nOutput:', 1)[0] ?? ''),
  // Gemini CLI writes the code among the last lines.
  'gemini-cli': (text) => EXIT_CODE.exec(text.slice(-EDGE)),
  'mini-swe-agent': (text) => /^<returncode>(-?\d{1,10})/.exec(text.slice(0, 50)),
}
const ABOVE = /(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,10})(?:\n|$)/

/** Returns the exit code in a result, in the form of its harness. Of an unknown harness, a code of any form tells a failure, and none a success. */
export function exitCodeInText(harness: string | null, text: string): number | null {
  const forms = harness === null ? Object.values(FORMS) : [own(FORMS, harness)]
  const match = forms.map((codeIn) => codeIn?.(text) ?? null).find((form) => form !== null)
  const code = match === undefined ? codeInEnvelope(text) : Number(match[1])
  return harness === null && code === 0 ? null : code
}

/** Returns the exit code of a JSON envelope. Texts that cannot be an envelope are not parsed: megabytes of output would be parsed twice. */
function codeInEnvelope(text: string): number | null {
  if (!text.startsWith('{')) return null
  const edges = text.slice(0, EDGE) + text.slice(-EDGE)
  if (!CODES.some((key) => edges.includes(`"${key}"`))) return null
  const envelope = decodeObject(text) ?? {}
  const { metadata } = envelope
  const noted = [envelope, isRecord(metadata) ? metadata : {}].flatMap((record) => CODES.map((key) => record[key]))
  return noted.find((code) => typeof code === 'number') ?? null
}
