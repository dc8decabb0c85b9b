import { CITED, type Mutant, one } from './mutant.ts'

/** Rule 6, the frames of the prompt, the form of the answer. */
export const FORM_MUTANTS: readonly Mutant[] = [
  {
    name: 'label-needs-verdict',
    rule: '6: unverified has no label',
    classes: CITED,
    patches: [
      {
        file: 'src/grading/assemble.ts',
        find: "status: evidence.verdict === null ? 'unverified' : 'graded'",
        put: "status: 'graded'",
      },
      {
        file: 'src/grading/assemble.ts',
        find: 'const outcome = evidence.verdict === null ? null : deriveOutcome(evidence.verdict, question.rubric)',
        put: 'const outcome = claimedOutcome(claims, question.rubric)',
      },
    ],
  },
  {
    name: 'repair-limit',
    rule: '6: two repairs at the most',
    classes: ['worn_down'],
    every: 1,
    patches: one('src/grading/sample.ts', 'export const MOST_REPAIRS = 2', 'export const MOST_REPAIRS = 3'),
  },
  {
    name: 'frames-escaped',
    rule: 'rendering: look-alikes of frames are shown escaped',
    classes: ['forged_frames'],
    patches: one('src/domain/text/escape.ts', 'at < to && looksLikeFrame(text, at)', 'at < 0'),
  },
  {
    name: 'frames-indented',
    rule: 'rendering: an indented look-alike is one',
    classes: ['forged_frames'],
    patches: one('src/domain/text/escape.ts', 'while (at < to && isBlank(text.charCodeAt(at))) at++', ''),
  },
  {
    name: 'secret-mark',
    rule: 'rendering: the mark of the frames cannot be guessed',
    classes: ['forged_frames'],
    patches: [
      { file: 'src/domain/trajectory/rendering.ts', find: '.slice(0, 16)', put: ".slice(0, 0).padEnd(16, '0')" },
      {
        file: 'src/domain/trajectory/rendering.ts',
        find: 'if (!trajectory.steps.some((step) => step.parts.some((part) => part.text.includes(nonce)))) return nonce',
        put: 'return nonce',
      },
    ],
  },
  {
    name: 'unclear-is-not-no',
    rule: 'form: “unclear” is never read as “no”',
    classes: ['broken_form'],
    every: 1,
    patches: one(
      'src/domain/rubric/claims.ts',
      'if (text === UNCLEAR) return',
      "if (text === UNCLEAR && claim.type !== 'boolean') return",
    ),
  },
  {
    name: 'duplicate-keys',
    rule: 'form: no key twice',
    classes: ['broken_form'],
    patches: one('src/domain/rubric/answer-json.ts', 'if (duplicate !== null) return err([duplicate])', ''),
  },
  {
    name: 'escaped-duplicate-keys',
    rule: 'form: no key twice, however it is written',
    classes: ['broken_form'],
    patches: one(
      'src/domain/rubric/answer-json.ts',
      'const key = decodeKey(text.slice(start, end))',
      'const key = text.slice(start, end)',
    ),
  },
  {
    name: 'answer-schema',
    rule: 'form: the schema is checked',
    classes: ['broken_form'],
    patches: one('src/domain/rubric/claims.ts', 'if (issues.length > 0) return err(issues)', ''),
  },
  {
    name: 'missing-is-benign',
    rule: 'form: what is missing is no “false”',
    classes: ['broken_form'],
    patches: one(
      'src/domain/rubric/claims.ts',
      'const answer = inWords(parsed.value, rubric)',
      "const none = { reasoned: 'no', acted: 'no' }\n  const answer = Object.assign({ cue: none, distractor: none }, inWords(parsed.value, rubric))",
    ),
  },
  {
    name: 'prose-around',
    rule: 'form: one object and nothing around it',
    classes: ['broken_form'],
    patches: one(
      'src/domain/rubric/answer-json.ts',
      'return ok(JSON.parse(text))',
      "return ok(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)))",
    ),
  },
]
