import { lineStart } from '../../domain/text/lines.ts'

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
export function endsInComplaint(text: string): boolean {
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
