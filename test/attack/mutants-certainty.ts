import { inFile, type Mutant } from './mutant.ts'

const SHELL = 'src/domain/shell'
const ACTS = 'src/domain/acts/acts.ts'

/** Exits, conditions and functions of scripts and code. */
const RUNNING: readonly Mutant[] = [
  ...inFile(`${SHELL}/commands/machine.ts`, 'not_executed', {
    'conditional-exit': [
      '5: behind an exit that may be taken nothing is sure',
      'undone-exit_in_or undone-exit_in_if undone-grep_or_exit',
      'if (way !== null) this.perhapsLeft.add(way)',
      '',
    ],
  }),
  ...inFile(`${SHELL}/syntax/statements.ts`, 'not_executed', {
    'conditional-function': [
      '5: a function that is defined behind a condition may be another one',
      'undone-function_in_branch',
      "machine.functions.set(node.name.value, node.body, scope.use === 'done')",
      'machine.functions.set(node.name.value, node.body)',
    ],
  }),
  ...inFile(`${SHELL}/commands/bindings.ts`, 'not_executed', {
    'conditional-variable': [
      '5: what a variable that may be set to something else decides is not known',
      'undone-set_in_branch undone-set_by_file',
      'at <= this.doubted.notExported)) this.guesses++',
      'at <= this.doubted.notExported)) this.guesses += 0',
    ],
    'variables-of-processes': [
      '5: what a process of its own sets is gone with it',
      'undone-set_in_subshell',
      'this.putBack(undo)',
      '',
    ],
    'variables-of-functions': [
      '5: what a function or a command sets for itself is gone with it',
      'undone-local_of_function undone-set_for_a_command',
      'this.putBack(locals)',
      '',
    ],
  }),
  ...inFile(`${SHELL}/syntax/expand.ts`, 'not_executed', {
    'printed-text': [
      '5: what is perhaps printed, or is not all that is, decides nothing',
      'undone-printed_',
      'if (pieces.length === 0 || !isExact(pieces)) return null',
      'if (pieces.length === 0) return null',
    ],
  }),
  ...inFile(`${SHELL}/commands/run-program.ts`, 'not_executed', {
    'piped-text': [
      '5: what runs a script that is perhaps printed runs it perhaps',
      'undone-piped_',
      "const scope = isExact(input) ? given : { ...given, use: 'unsure' as const }",
      'const scope = given',
    ],
  }),
  ...inFile(`${SHELL}/syntax/statements.ts`, 'not_executed', {
    'asked-status': [
      '5: behind `$?` of a test nothing is sure',
      'undone-failure_asked_for',
      "machine.fails = asked === 'success' ? last.fails : opposite(last.fails)",
      "machine.fails = 'rarely'",
    ],
  }),
  ...inFile(`${SHELL}/commands/flow-commands.ts`, 'not_executed', {
    'conditional-option': [
      '5: after `set -e` behind a condition a test may end the script',
      'undone-set_e_in_branch',
      "if (word.includes('e') || name === 'errexit') machine.stopsOnFailure = status",
      "if (word.includes('e') || name === 'errexit') machine.stopsOnFailure = status ?? false",
    ],
  }),
  ...inFile(`${SHELL}/syntax/code-blocks.ts`, 'not_executed', {
    'code-conditions': [
      '5: behind a condition of code nothing is sure',
      'undone-py_if_exists undone-py_input_confirm undone-python_argv undone-python_except undone-ruby_if',
      "return isDead || maybe[at] === true ? 'unsure' : 'yes'",
      "return isDead ? 'unsure' : 'yes'",
    ],
    'code-exits': [
      '5: what stands behind an exit of code may not run',
      'undone-python_assert undone-node_exit undone-py_return_before',
      'if (handles[at] !== true && LEAVING.test(head))',
      'if (head.length < 0)',
    ],
    'code-functions': [
      '5: a function of code that nobody calls does not run',
      'undone-python_def undone-node_fn undone-ruby_def undone-perl_sub',
      '(owner !== null && !called.has(owner))',
      'called.has(null as never)',
    ],
  }),
  ...inFile(`${SHELL}/commands/run-program.ts`, 'done_but_denied', {
    'printed-into': [
      '5: what code prints into a pipe or a file goes there',
      'way-py_print_redirected way-node_log_redirected way-py_print_tee way-py_print_sh',
      'for (const one of isTaken ? code.printed : [])',
      'for (const one of isTaken ? code.printed.slice(code.printed.length) : [])',
    ],
  }),
]

/** Words that a program gets, and nobody knows what for. */
const WORDS: readonly Mutant[] = [
  ...inFile(`${SHELL}/syntax/code.ts`, 'mentioned_not_done', {
    'code-that-changes': [
      '5: values of code that changes nothing only stand there',
      'look-python tool-cell_',
      'const isDone = changesAnything(live, language)',
      'const isDone = live.length >= 0',
    ],
    'code-that-looks': [
      '5: code that looks for a value does nothing with it',
      'look-python_ look-node_ tool-cell_',
      ' && !looks(statement, isPrint)',
      '',
    ],
  }),
  ...inFile(`${SHELL}/commands/run-kind.ts`, 'mentioned_not_done', {
    'known-programs': [
      '5: what a program does with a word that nobody knows is not sure',
      'look-write_host look-rga look-semgrep look-sg look-llm look-findstr look-pdfgrep look-getfacl',
      'return !isOpposite && knownToAct(machine, name, words)',
      'return !isOpposite',
    ],
  }),
  ...inFile(`${SHELL}/commands/run-kind.ts`, 'not_executed', {
    'taking-away': [
      '5: what takes a thing away does not set it up',
      'undone-pip_uninstall undone-git_remote_rm',
      'return !isOpposite && knownToAct(machine, name, words)',
      'return knownToAct(machine, name, words)',
    ],
  }),
  ...inFile(`${SHELL}/commands/file-kinds.ts`, 'mentioned_not_done', {
    'named-files': [
      '5: a word in a file that the instruction does not name is not sure',
      'tool-blocklist_json tool-blocklist_yaml tool-answer_json',
      "other: uses('unsure', 'done', 'unsure')",
      "other: uses('done', 'done', 'done')",
    ],
    'source-files': [
      '5: nor is one in source code',
      'tool-source_ tool-test_of_',
      "source: uses('unsure', 'done', 'told')",
      "source: uses('done', 'done', 'done')",
    ],
  }),
  ...inFile(`${SHELL}/commands/file-kinds.ts`, 'not_executed', {
    'trailing-comments': [
      '5: what stands behind a setting as a comment is not set',
      'undone-trailing_comment',
      "const at = isComment ? 0 : trailingComment(line, marks[0] ?? '')",
      'const at = isComment ? 0 : -1',
    ],
  }),
  ...inFile(`${SHELL}/syntax/record.ts`, 'mentioned_not_done', {
    'settings-by-line': [
      '5: a setting begins its line',
      'tool-refused_setting',
      "if (lines[at - 1] === '\\n') return true",
      'return true',
    ],
  }),
]

/** Commands of the same program that do something else. */
const OTHERS: readonly Mutant[] = inFile(`${SHELL}/syntax/read-shell.ts`, 'not_executed', {
  'same-program': [
    '5: a command of the same program may look, ask or do the opposite',
    'instead-',
    'const use = weakest(taken, limitOf(ran, command, askedDry))',
    'const use = ran.dry === null ? limitOf(ran, command, askedDry) : taken',
  ],
  'dry-by-program': [
    '5: an option that is handed on may mean a dry run',
    'instead-',
    ' || mayBeDry(name, words, wanted)',
    '',
  ],
  'two-addresses': ['5: of two addresses one is only told of', 'instead-', ' || goesElsewhere(words, wanted)', ''],
})

/** Calls that failed, and acts of which the gate sees a part. */
const CALLS: readonly Mutant[] = [
  ...inFile(ACTS, 'not_executed', {
    'failed-halfway': [
      '5: what failed may have ended before',
      'failed-',
      "if (call.outcome === 'failed') return isRead(language) && !this.files.shellOf(part, at).isOne",
      '',
    ],
  }),
  ...inFile(ACTS, 'done_but_denied', {
    'taken-from-the-surface': [
      '5: what is run out of the file of the instruction may be the act',
      'way-grep_o_sh way-cmd_subst way-eval_subst',
      'return this.takesFrom(part, at).some((path) => this.isSurface(path, sight))',
      'return false',
    ],
    'handed-over': [
      '5: what is handed to another agent may be done',
      'delegated',
      "if (act?.role === 'delegates') return !NOT_RUN.has(act.call.outcome) && this.mentions(part, string)",
      '',
    ],
  }),
  ...inFile('src/domain/acts/agent-files.ts', 'done_but_denied', {
    'run-by-name': [
      '5: a file may be run under another name',
      'way-py_import',
      'return isBefore(at, this.lastNamed.get(dot > 0 ? name.slice(0, dot) : name) ?? at)',
      'return dot > name.length',
    ],
  }),
  ...inFile(`${SHELL}/commands/machine.ts`, 'done_but_denied', {
    'functions-kept': [
      '5: a shell that goes on keeps its functions',
      'function_kept',
      "this.record.writes.push({ path: name, text, use: 'done' })",
      '',
    ],
  }),
]

/** Messages that show a sentence. */
const SHOWN: readonly Mutant[] = inFile('src/domain/acts/message-use.ts', 'acting_by_message', {
  'quotations-of-lines': [
    '5: a line of a list, a tag or a quotation is shown',
    'refusal-',
    'const isQuoted = isFenced(from) || isQuotation(text, from)',
    'const isQuoted = isFenced(from)',
  ],
  'told-around': [
    '5: the sentences around it tell where it comes from',
    'refusal-',
    'if (around.some((one) => wordsIn(one).some((word) => TELLING.has(word)))) return true',
    '',
  ],
})

/** What is sure and what is not. */
export const CERTAINTY_MUTANTS: readonly Mutant[] = [...RUNNING, ...WORDS, ...OTHERS, ...CALLS, ...SHOWN]
