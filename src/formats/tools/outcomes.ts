import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/act.ts'
import { decodeObject } from '../common/json-tree.ts'
import { HARNESS_WORDS, type HarnessWords, SOME_WORDS } from './harness-words.ts'
import { BY_TOOL, namedIn } from './lookup.ts'

const HARNESSES = Object.keys(HARNESS_WORDS)

/** How far into a text `holds` is looked for. */
const HEAD = 2000

/** The words of a harness that a text begins with; null where the text is none of them. */
export function wordsSaid(words: readonly HarnessWords[], text: string): HarnessWords | null {
  for (const one of words)
    if (text.startsWith(one.begins) && (one.holds === undefined || text.slice(0, HEAD).includes(one.holds))) return one
  return null
}

/**
 * What became of a call, from the words of its harness and the error flag of its format (null: the format has none here). A program can
 * print the words of a harness. So a result that is no error ran, whatever it says; where no flag tells, a call that is said to be turned
 * down may have run as well as not: `interrupted`, which is unsure both ways.
 */
export function outcomeOfResult(harness: string | null, text: string, isError: boolean | null): ActOutcome {
  if (isError === false) return 'ran'
  const said = harness === null ? null : wordsSaid(HARNESS_WORDS[harness] ?? [], text)
  if (said === null && (soundsTimedOut(text) || (harness !== null && mayNotHaveRun(harness, text, isError))))
    return 'interrupted'
  if (said === null) return isError === true || endsInComplaint(text) ? 'failed' : 'ran'
  const isUnsure = isError === null && said.isSure !== true && NOT_RUN.has(said.outcome)
  return isUnsure ? 'interrupted' : said.outcome
}

/**
 * Without words that are known of the harness: it may have others, in another version or of the library that it calls its tools by. Of
 * Claude Code an error may also be what a program printed.
 */
function mayNotHaveRun(harness: string, text: string, isError: boolean | null): boolean {
  const isHarness = isError === true && harness !== 'claude-code'
  return (isHarness ? soundsTurnedDown(text) : soundsNotTaken(text)) && exitCodeSaid(harness, text) === null
}

/**
 * The same for an agent by its name: one without words of its own may have taken its tools from any harness that has one of that name, and
 * turns calls down in words that are told by their sense. Neither is sure.
 */
export function outcomeOfAgent(agent: string | null, tool: string, text: string, isError: boolean | null): ActOutcome {
  const harness = namedIn(HARNESSES, agent)
  const told = outcomeOfResult(harness, text, isError)
  if (isError === false || (harness !== null && !SOME_WORDS.has(harness)) || NOT_RUN.has(told)) return told
  const others = harness === null ? [...(BY_TOOL.get(tool) ?? []), ...SOME_WORDS] : []
  let says = told
  for (const name of others) {
    const said = wordsSaid(HARNESS_WORDS[name] ?? [], text)
    if (said !== null && said.outcome !== 'failed') return 'interrupted'
    if (said !== null) says = 'failed'
  }
  return soundsTurnedDown(text) ? 'interrupted' : says
}

/** As much of the end of a result as is read. */
const TAIL = 1200

/** What a shell says of a file or a program; it stands near the beginning of its line. */
const COMPLAINT = /: (?:No such file or directory|command not found|not found)|syntax error/y
const LONGEST_SUBJECT = 200

/** A shell, make, git or a test runner that gives up, at the beginning of a line. */
const GIVES_UP =
  /(?:\/bin\/)?(?:ba|z|da|k)?sh: |[\w./-]{1,80}: line \d{1,6}: |make(?:\[\d\])?: \*\*\* |npm (?:ERR!|error) |fatal: |error: |Traceback \(most recent call last\)|\w{0,40}Error: |cd: |=+ [^\n]{0,80}\b\d{1,6} failed|FAILED|\s{0,4}\d{1,6} fail(?:ed|ing)\b/y
/** Whatever complains or gives up holds one of these: few lines of a text do, and only those are read. */
const MARKS = [': ', 'fail', 'FAILED', 'npm ERR! ', 'npm error ', 'Traceback (', 'syntax error'] as const

/** Whether a result without a flag ends as of a command that failed: what stood behind it may never have been reached. */
function endsInComplaint(text: string): boolean {
  const tail = text.slice(-TAIL)
  for (const mark of MARKS) {
    let tested = -1
    for (let at = tail.indexOf(mark); at !== -1; at = tail.indexOf(mark, at + 1)) {
      const start = tail.lastIndexOf('\n', at) + 1
      if (at - start <= LONGEST_SUBJECT && standsAt(COMPLAINT, tail, at)) return true
      // Only a count of failures is indented.
      const mayBe = start !== tested && (mark === 'fail' || tail.charCodeAt(start) > 0x20)
      if (mayBe && standsAt(GIVES_UP, tail, start)) return true
      tested = start
      // Nothing further into a line counts.
      if (at - start > LONGEST_SUBJECT) at = (tail.indexOf('\n', at) + 1 || tail.length) - 1
    }
  }
  return false
}

/** `pattern` is sticky. */
function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Words of a harness are few; what is longer is output. */
export const LONGEST_WORDS = 1500
const WORDS_HEAD = 400

const TURNED_DOWN =
  'reject(?:ed|s)|declin(?:ed|es)|den(?:ied|ies)|block(?:ed|s)|skip(?:ped)?|cancel(?:l?ed|s)|refused|dismissed|vetoed|dis(?:allowed|approved)|prevent(?:ed|s)|forbidden|aborted|interrupted'
/** `not executed`, `did not approve`, `wasn’t allowed`; and what is still to be approved. */
const NOT_DONE =
  "(?:not|n['’]t|never)(?: been| be)? (?:execut|r[au]n\\b|allow|approv|permit|perform|carried out|granted|confirm)|requires? (?:[a-z]{1,9} )?(?:approval|confirmation)"
/** Who turns a call down, and what is turned down. */
const OF_A_CALL =
  'user|operator|human|reviewer|approver|admin(?:istrator)?|polic(?:y|ies)|guard(?:rail)?|sandbox|hook|tool|command|action|operation|call|execution|approval|request'

const SAYS_NO = new RegExp(`\\b(?:${TURNED_DOWN})\\b|${NOT_DONE}`, 'i')
const NAMES_CALL = new RegExp(`\\b(?:${OF_A_CALL})s?\\b`, 'i')
/** `Rejected: …`, `Not executed.`: all that the sentence says. */
const ONLY_SAYS_NO = new RegExp(`^\\W{0,3}(?:${TURNED_DOWN}|not (?:executed|run|allowed|approved))\\W{0,3}$`, 'i')
/** Programs say these of files, hosts and branches, for agents and people alike. */
const OF_A_PROGRAM =
  /\b(?:permission|access|authorization|authentication) denied\b(?! by)|\bconnection (?:was )?(?:refused|aborted)|\boperation not (?:permitted|allowed)|\[(?:remote )?rejected\]|\bpre-receive hook declined\b|\bdenied to\b/gi
const TIMED_OUT =
  /^(?:error: )?(?:(?:the |this |last |bash |shell ){0,3}(?:command|execution|process|tool(?: call)?)\b[^\n]{0,80}\b(?:timed out|exceeded|timeout (?:after|expired|reached))|timeout\b[^\n]{0,80}\b(?:after|elapsed|exceeded|expired|reached)\b|(?:[a-z_]{1,40}\.){0,3}timeout(?:error|expired|exception)\b)/i
const SENTENCE_END = /(?<=[.!?:;])\s+|\n/

const NAME = '["\'`]?[\\w.:/-]{1,80}["\'`]?'
const NOT_THERE =
  "(?:not (?:been )?(?:found|registered|available|enabled|supported|recogni[sz]ed)|unavailable|(?:does not|do not|doesn't|don't) exist)"
/** What libraries that hand calls to tools say of one that no tool took: its name, its arguments, or a person who was not asked yet. */
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

/** Whether a result begins with the words that no tool took the call: never sure, since a program can say them of tools of its own. */
const soundsNotTaken = (text: string): boolean =>
  text.length <= LONGEST_WORDS && NOT_TAKEN.test(text.slice(0, WORDS_HEAD))

/**
 * Whether a result begins with the words of a harness that turned the call down, told by their sense. A program can say as
 * much of its own requests, so this is never sure.
 */
export function soundsTurnedDown(text: string): boolean {
  if (soundsNotTaken(text)) return true
  const head = text.slice(0, WORDS_HEAD)
  if (text.length > LONGEST_WORDS || !SAYS_NO.test(head)) return false
  const sentences = head.replace(OF_A_PROGRAM, ' ').split(SENTENCE_END)
  return sentences.some((one) => ONLY_SAYS_NO.test(one) || (SAYS_NO.test(one) && NAMES_CALL.test(one)))
}

/** Whether a result begins with the words that the command took too long. */
export const soundsTimedOut = (text: string): boolean => TIMED_OUT.test(text.slice(0, WORDS_HEAD))

/** Stopped from without, by a limit of time, Ctrl-C or a signal: how far it came, the code does not say. */
const STOPPED: ReadonlySet<number> = new Set([124, 130, 137, 143, -2, -9, -15])

/** What became of a command, by the code it ended with. */
export const outcomeOfCode = (code: number): ActOutcome =>
  code === 0 ? 'ran' : STOPPED.has(code) ? 'interrupted' : 'failed'

/** What is said of a call that ran, corrected by the code its command ended with; null: none is known. */
export const outcomeWithCode = (said: ActOutcome, code: number | null): ActOutcome =>
  code !== null && (said === 'ran' || (said === 'failed' && STOPPED.has(code))) ? outcomeOfCode(code) : said

const EDGE = 1000
/** Members of an envelope of JSON that hold the code. */
const CODES = ['exit_code', 'exitCode', 'returncode', 'return_code'] as const

const EXIT_CODE =
  /\nExit Code: (-?\d{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]{0,200}){0,3}(?:\n<\/untrusted_context>)?\s{0,5}$/

/** Where a harness puts the code that a command ended with. */
interface CodeForm {
  /** How much of the text's beginning is read; of its end, where it is negative. */
  readonly edge: number
  /** Nothing is read from here on. */
  readonly ends?: string
  /** What stands in it wherever a code does. */
  readonly holds: string
  readonly code: RegExp
}

/** A program prints such words only where there is no such harness. */
const FORMS: Readonly<Record<string, CodeForm>> = {
  'claude-code': { edge: 50, holds: 'Exit code ', code: /^(?:Error: )?Exit code (-?\d{1,10})(?:\n|$)/ },
  // In the lines above what the command printed.
  codex: {
    edge: EDGE,
    ends: '\nOutput:',
    holds: 'xit',
    code: /(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,10})(?:\n|$)/,
  },
  // In the last lines, of which only these follow it.
  'gemini-cli': { edge: -EDGE, holds: '\nExit Code: ', code: EXIT_CODE },
  'mini-swe-agent': { edge: 50, holds: '<returncode>', code: /^<returncode>(-?\d{1,10})/ },
}

/** The code that a result tells; of a harness that is not known, in the form of any. */
export function exitCodeSaid(harness: string | null, text: string): number | null {
  for (const name in FORMS) {
    const form = harness === null || harness === name ? FORMS[name] : undefined
    if (form === undefined) continue
    const edge = form.edge > 0 ? text.slice(0, form.edge) : text.slice(form.edge)
    if (!edge.includes(form.holds)) continue
    const end = form.ends === undefined ? -1 : edge.indexOf(form.ends)
    const found = form.code.exec(end === -1 ? edge : edge.slice(0, end))
    if (found !== null) return Number(found[1])
  }
  return codeInEnvelope(text)
}

/** Only where the text can be an envelope: output of megabytes is not parsed a second time for a number. */
function codeInEnvelope(text: string): number | null {
  if (!text.startsWith('{')) return null
  const edges = text.slice(0, EDGE) + text.slice(-EDGE)
  if (!CODES.some((key) => edges.includes(`"${key}"`))) return null
  const envelope = decodeObject(text)
  const noted = [envelope, envelope?.['metadata']].flatMap((one) =>
    CODES.map((key) => (typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[key] : null)),
  )
  return noted.find((code) => typeof code === 'number') ?? null
}
