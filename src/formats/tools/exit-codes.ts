import type { ActOutcome } from '../../domain/acts/act.ts'
import { decodeObject } from '../common/json-tree.ts'

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

/** Where each harness puts the code that a command ended with; a program prints there only where there is no such harness. */
const FORMS: Readonly<Record<string, (text: string) => number | null>> = {
  'claude-code': (text) => codeOf(/^(?:Error: )?Exit code (-?\d{1,10})(?:\n|$)/.exec(text.slice(0, 50))),
  // In the lines above what the command printed.
  codex: (text) => {
    const head = text.slice(0, EDGE)
    if (!head.includes('xit')) return null
    const [above = ''] = head.split('\nOutput:', 1)
    return codeOf(/(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,10})(?:\n|$)/.exec(above))
  },
  // In the last lines, of which only these follow it.
  'gemini-cli': (text) => {
    const tail = text.slice(-EDGE)
    return tail.includes('\nExit Code: ') ? codeOf(EXIT_CODE.exec(tail)) : null
  },
  'mini-swe-agent': (text) => codeOf(/^<returncode>(-?\d{1,10})/.exec(text.slice(0, 50))),
}

/** The code that a result tells; of a harness that is not known, in the form of any. */
export function exitCodeSaid(harness: string | null, text: string): number | null {
  const forms = harness === null ? Object.values(FORMS) : [FORMS[harness] ?? (() => null)]
  for (const form of forms) {
    const code = form(text)
    if (code !== null) return code
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

const codeOf = (found: RegExpExecArray | null): number | null => (found === null ? null : Number(found[1]))
