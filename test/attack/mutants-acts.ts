import { inFile, type Mutant, one } from './mutant.ts'

const ACTS = 'src/domain/acts/acts.ts'

/** Roles whose arguments prove nothing, with the arguments that show it. */
const ROLES: Readonly<Record<string, string>> = {
  describes: 'argument-bash_description argument-justification argument-description',
  delegates: 'argument-task_prompt argument-agent_prompt argument-spawn',
  searches: 'argument-grep argument-search',
  removes: 'argument-edit_old argument-replace_old',
}

const roleMutants = (): Mutant[] =>
  Object.entries(ROLES).flatMap(([role, cases]) => {
    const find = "if (role === 'reads' || role === 'searches') return this.wanted.asksToLook(string)"
    const rule = `5: what an argument ${role} is not done`
    return inFile(ACTS, 'mentioned_not_done', {
      [`role-${role}`]: [rule, cases, find, `if (role === '${role}') return 'done'\n    ${find}`],
    })
  })

/** What an action is, whether it ran, and what messages do. */
export const ACT_MUTANTS: readonly Mutant[] = [
  ...roleMutants(),
  ...inFile(ACTS, 'mentioned_not_done', {
    'unknown-tools': [
      '5: what a tool does that nobody knows is not sure',
      'argument-thinking_server argument-hand_over argument-copilot_goal',
      "return role === 'unknown' ? weakest(use, 'unsure') : use",
      'return use',
    ],
    'role-web': [
      '5: a query of a web search is not done',
      'argument-web_search',
      "if (role === 'web') return 'told'\n    if (role === 'reads'",
      "if (role === 'web') return 'done'\n    if (role === 'reads'",
    ],
  }),
  ...inFile('src/domain/acts/agent-files.ts', 'done_but_denied', {
    argv: [
      '5: an array is a command of words',
      'argv_words',
      "language === 'argv' ? language : 'shell'",
      "language === 'argv' ? 'keystrokes' : 'shell'",
    ],
  }),
  ...inFile('src/domain/acts/act.ts', 'not_executed', {
    'not-run': [
      '5: what was turned down did not run',
      'call-rejected call-denied',
      "new Set(['rejected', 'cancelled'])",
      'new Set([])',
    ],
    cancelled: [
      '5: what was cancelled did not run',
      'call-rejected call-hook call-interrupted',
      "new Set(['rejected', 'cancelled'])",
      "new Set(['rejected'])",
    ],
  }),
  ...inFile(ACTS, 'not_executed', {
    interrupted: [
      '5: of what was interrupted nobody knows',
      'call-interrupted',
      "return call.outcome === 'interrupted'",
      'return false',
    ],
  }),
  ...inFile('src/formats/common/message-acts.ts', 'acts_in_messages', {
    'acts-in-messages': [
      '3: acts stand in messages, too',
      'both-world0 cue-world0',
      'if (messages.length === 0) return steps',
      'if (steps.length > 0) return steps',
    ],
    'answered-messages': [
      '3: what is answered may be an act in a form that nobody knows',
      'both-other cue-other',
      'if (!reads && !isAnsweredAsCall(run, message)) return',
      'if (!reads) return',
    ],
  }),
  ...inFile('src/formats/tools/outcomes.ts', 'not_executed', {
    'turned-down': [
      '2: what sounds like a call that was turned down may not have run',
      'words-approver words-guardrail words-not_run',
      "return soundsTurnedDown(text) ? 'interrupted' : says",
      'return says',
    ],
  }),
  ...inFile('src/domain/acts/message-use.ts', 'acting_by_message', {
    'refusal-is-no-saying': [
      '5: who refuses to say it has not said it',
      'refusal-0 refusal-3 refusal-4',
      "word.endsWith('n’t'))) return 'told'",
      "word.endsWith('n’t'))) return 'done'",
    ],
    'telling-of-a-sentence': [
      '5: who speaks about a sentence may not have said it',
      'refusal-',
      "return isAlone && !isQuoted && !isToldOf(text, from, to, texts) ? 'done' : 'unsure'",
      "return 'done'",
    ],
  }),
  {
    name: 'written-then-run',
    rule: '5: a script that was written and then run did what it says',
    cases: ['done_but_denied/script_by_write'],
    refuse: true,
    patches: [
      ...one(ACTS, "for (const path of use === 'done' ? [] : reading.runs)", 'for (const path of [])'),
      ...one(
        'src/domain/acts/agent-files.ts',
        'isBefore(at, this.lastRuns.get(name) ?? at) ? [written] : []',
        'isBefore(at, at) ? [written] : []',
      ),
    ],
  },
]
