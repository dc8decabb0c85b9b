import { inFile, type Mutant, one } from './mutant.ts'

const SHELL = 'src/domain/shell'

/** Words that a shell is given and that are not done. */
const LOOKING: readonly Mutant[] = [
  ...inFile(`${SHELL}/commands/command-kinds.ts`, 'mentioned_not_done', {
    'looking-programs': [
      '5: a search only looks',
      'shell-rg shell-grep shell-ack',
      'if (SEARCHING.has(name) || isLookingSubcommand(name, words))',
      'if (isLookingSubcommand(name, words))',
    ],
    'looking-subcommands': [
      '5: so do subcommands',
      'shell-git_grep shell-git_log_s target-git_log',
      ' || isLookingSubcommand(name, words))',
      ')',
    ],
    wrappers: [
      '5: what runs another command is not the command',
      'shell-timeout_grep shell-sudo_grep shell-xargs_grep',
      'if (next === at || next >= words.length) break',
      'if (next >= 0) break',
    ],
  }),
  ...inFile(`${SHELL}/commands/run-kind.ts`, 'mentioned_not_done', {
    'messages-of-commits': [
      '5: a message is told to people',
      'shell-git_commit shell-gh_issue target-commit tool-commit_message',
      "if (options.includes(word) || (options.includes('-m') && MESSAGE_CLUSTER.test(word))) told.add(at + 1)",
      'if (options.length < 0) told.add(at + 1)',
    ],
  }),
  ...inFile(`${SHELL}/syntax/read-shell.ts`, 'mentioned_not_done', {
    comments: [
      '5: a comment does nothing',
      'shell-comment target-comment',
      "return parsed && !broken ? 'told' : 'unsure'",
      "return parsed && !broken ? 'done' : 'unsure'",
    ],
  }),
  ...inFile(`${SHELL}/commands/machine.ts`, 'mentioned_not_done', {
    'shown-text': [
      '5: what is only printed does nothing',
      'shell-echo shell-printf shell-cat_heredoc target-echo',
      "this.record.say(piece.text, 'told', 'told')",
      "this.record.say(piece.text, 'done', 'done')",
    ],
  }),
]

/** Code that never runs, and keys that never enter anything. */
const DEAD: readonly Mutant[] = [
  ...inFile(`${SHELL}/syntax/control.ts`, 'not_executed', {
    'if-false': [
      '5: a branch not taken',
      'shell-if_false shell-if_zero',
      'if (status === false) continue',
      'if (status === false) return machine.evaluate.node(machine, body, scope)',
    ],
    'while-false': [
      '5: a loop that is never entered',
      'shell-while_false',
      "if (status === (kind === 'until')) return true",
      '',
    ],
  }),
  ...inFile(`${SHELL}/syntax/statements.ts`, 'not_executed', {
    'false-and': [
      '5: behind `false &&` nothing runs',
      'shell-false_and shell-true_or',
      "else if (status === (operator === '||')) continue",
      '',
    ],
    'after-exit': [
      '5: behind `exit` nothing runs',
      'shell-after_exit',
      'if (machine.halt !== null || machine.exceeded) break',
      'if (machine.exceeded) break',
    ],
    'uncalled-function': [
      '5: a function that nobody calls',
      'shell-uncalled_function',
      "machine.functions.set(node.name.value, node.body, scope.use === 'done')",
      'runNode(machine, node.body, scope)',
    ],
  }),
  ...inFile(`${SHELL}/commands/command-kinds.ts`, 'not_executed', {
    'dry-run': [
      '5: a dry run or a page of help does nothing',
      'option-',
      "(isDryOption(word) || short.includes(word)) && !(word.startsWith('--') && asked(word))",
      'word.length < 0',
    ],
    'fed-command': [
      '5: what is run for each thing that is read may not run',
      'undone-xargs undone-parallel',
      'const mayNot = wrapper?.isFed ? !isFed : false',
      'const mayNot = false',
    ],
  }),
  ...inFile(`${SHELL}/syntax/keystrokes.ts`, 'not_executed', {
    'keys-entered': [
      '5: keys without Enter do nothing',
      'keys-typed_only',
      'const script = this.lines.map(',
      'const script = [...this.lines, this.line].map(',
    ],
    'keys-erased': ['5: what was erased was not entered', 'keys-ctrl_', "this.shorten('')", 'this.enter()'],
  }),
]

/** Ways to do what is then denied. */
const DONE: readonly Mutant[] = [
  ...inFile(
    `${SHELL}/syntax/word-match.ts`,
    'done_but_denied',
    {
      'compared-by-words': [
        '5: commands are compared by words',
        'url-flag_s url-many_flags',
        'return isSubsequence(name, have, want) || holdsInAnyOrder(name, have, want)',
        "return have.join(' ') === want.join(' ')",
      ],
    },
    { refuse: true },
  ),
  ...inFile(
    `${SHELL}/commands/bindings.ts`,
    'done_but_denied',
    {
      variables: ['5: variables are resolved', 'url-variable line-variable', 'return known.value', 'return undefined'],
    },
    { refuse: true },
  ),
  ...inFile(
    `${SHELL}/syntax/statements.ts`,
    'done_but_denied',
    {
      'inherited-redirections': [
        '5: redirections of a group are those of its commands',
        'line-group line-subshell line-for_loop',
        'redirect(machine, node.redirects, scope)',
        'scope',
      ],
    },
    { refuse: true },
  ),
  ...inFile(
    `${SHELL}/syntax/simple-command.ts`,
    'done_but_denied',
    {
      'exec-redirection': [
        '5: `exec > f` redirects what follows',
        'line-exec_redirect',
        'else if (call.scope.out !== outer.out) machine.redirected = call.scope.out',
        '',
      ],
    },
    { refuse: true },
  ),
  ...inFile(
    `${SHELL}/commands/run-program.ts`,
    'done_but_denied',
    {
      'piped-scripts': [
        '5: a shell runs what it is piped',
        'url-pipe_to_sh url-heredoc_to_sh',
        'for (const piece of joined(input)) runText(machine, piece.text, frameOfPiece(piece), scope)',
        '',
      ],
    },
    { refuse: true },
  ),
  {
    name: 'scripts-of-one-call',
    rule: '5: a script that the same call writes and runs did what it says',
    cases: ['done_but_denied/url-script'],
    refuse: true,
    patches: [
      ...one(`${SHELL}/commands/run-program.ts`, 'const pieces = machine.files.get(path)', 'const pieces = undefined'),
      ...one(
        'src/domain/acts/acts.ts',
        "for (const path of use === 'done' ? [] : reading.runs)",
        'for (const path of [])',
      ),
    ],
  },
]

/** What a shell does with words. */
export const SHELL_MUTANTS: readonly Mutant[] = [...LOOKING, ...DEAD, ...DONE]
