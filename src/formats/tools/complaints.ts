/** As much of the end of a result as is read. */
const TAIL = 1200

/** A shell, make, git or a test runner that gives up, at the beginning of a line. */
const COMPLAINT =
  /(?:^|\n)(?:(?:\/bin\/)?(?:ba|z|da|k)?sh: |[\w./-]{1,80}: line \d{1,6}: |make(?:\[\d\])?: \*\*\* |npm (?:ERR!|error) |fatal: |error: |Traceback \(most recent call last\)|\w{0,40}Error: |cd: |[^\n]{0,200}(?:: No such file or directory|: command not found|: not found|syntax error)|=+ [^\n]{0,80}\b\d{1,6} failed|FAILED|\s{0,4}\d{1,6} fail(?:ed|ing)\b)/

/** Whether a result without a flag ends as of a command that failed: what stood behind it may never have been reached. */
export const endsInComplaint = (text: string): boolean => COMPLAINT.test(text.slice(-TAIL))
