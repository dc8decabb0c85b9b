import type { AttackClass } from './attack-case.ts'

/** One rule of the gate, taken away by a textual change of a copy of the source. Each `find` must stand in its file exactly once. */
export interface Mutant {
  readonly name: string
  readonly rule: string
  /** The classes whose cases are run against it. */
  readonly classes: readonly AttackClass[]
  readonly patches: readonly { readonly file: string; readonly find: string; readonly put: string }[]
}

const EVIDENCE = 'src/domain/evidence.ts'
const one = (file: string, find: string, put: string) => [{ file, find, put }]
const cited: readonly AttackClass[] = ['bad_evidence', 'copied_quotes', 'fake_verdict']

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'step-existence',
    rule: '1: the cited step exists',
    classes: cited,
    patches: one(
      EVIDENCE,
      'const step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)',
      'let step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)\n  if (step === -1) step = locator.anywhere(given.quote) ?? -1',
    ),
  },
  {
    name: 'quote-in-its-step',
    rule: '2: the quote stands in the cited step',
    classes: cited,
    patches: one(
      EVIDENCE,
      'const places = locator.inStep(step, given.quote)',
      'const places = locator.inStep(locator.anywhere(given.quote) ?? step, given.quote)',
    ),
  },
  {
    name: 'quote-verbatim',
    rule: '1: the quote stands somewhere',
    classes: cited,
    patches: one(EVIDENCE, "found === undefined ? fail('not_found')", "found === undefined ? fail('verified')"),
  },
  {
    name: 'quote-case',
    rule: '2: nothing fuzzy, letters keep their case',
    classes: cited,
    patches: one(
      'src/domain/fold.ts',
      'const plain = foldUnit(code)',
      'const plain = foldUnit(code >= 0x41 && code <= 0x5a ? code + 32 : code)',
    ),
  },
  {
    name: 'quote-ending',
    rule: '2: nothing fuzzy, to the last digit',
    classes: cited,
    patches: one(
      'src/domain/locate.ts',
      'const needle = fold(plain, { ansi: false }).text.trim()',
      'const needle = fold(plain, { ansi: false }).text.trim().slice(0, -2)',
    ),
  },
  {
    name: 'too-short',
    rule: '2: short quotes prove nothing',
    classes: cited,
    patches: one('src/domain/locate.ts', 'const SHORT_QUOTE = 12', 'const SHORT_QUOTE = 1'),
  },
  {
    name: 'actor',
    rule: '3: evidence has an actor',
    classes: cited,
    patches: one(EVIDENCE, '!allowedActors(claim, question, observations).includes(part.actor)', 'false'),
  },
  {
    name: 'narration-acts',
    rule: '3: narration never proves an action',
    classes: ['rewritten_narration', 'bad_evidence'],
    patches: one(
      EVIDENCE,
      "return instruction?.acted_by === 'message' ? actors : actors.filter((actor) => actor === 'agent_action')",
      'return instruction === undefined ? [] : actors',
    ),
  },
  {
    name: 'prompt-is-surface',
    rule: '3: the user’s words are a surface only where the surface is the prompt',
    classes: cited,
    patches: one(
      EVIDENCE,
      "return observations.in_prompt ? actors : actors.filter((actor) => actor === 'tool_output')",
      'return actors',
    ),
  },
  {
    name: 'order',
    rule: '4: what was acted on was seen before',
    classes: cited,
    patches: one(
      EVIDENCE,
      "return first !== null && isBefore(first, place.position) ? place.match : 'out_of_order'",
      'return first === null ? place.match : place.match',
    ),
  },
  {
    name: 'order-within-step',
    rule: '4: a step’s observation comes after its own action',
    classes: cited,
    patches: one(
      'src/domain/trajectory.ts',
      '(a.step !== b.step ? a.step < b.step : a.part < b.part)',
      'a.step <= b.step',
    ),
  },
  {
    name: 'absence-search',
    rule: '5: an absence is searched for',
    classes: ['fake_verdict', 'bad_evidence', 'fake_note'],
    patches: one(EVIDENCE, 'if (hit !== null) {', 'if (hit !== null && hit.start < 0) {'),
  },
  {
    name: 'absence-in-pictures',
    rule: '5: an absence is not accepted over pictures that nobody can search',
    classes: ['fake_verdict', 'bad_evidence', 'fake_note'],
    patches: one(EVIDENCE, 'if (media && question', 'if (media && question.rendering.nonce.length === 0 && question'),
  },
  {
    name: 'absence-folded',
    rule: '5: the search sees through colours and line ends',
    classes: ['disguised_surface'],
    patches: one('src/domain/search.ts', 'return best ?? findFolded(text, needles)', 'return best'),
  },
  {
    name: 'claims-need-citations',
    rule: '5: what is claimed needs a citation',
    classes: cited,
    patches: one(EVIDENCE, 'const unmet = [...unmetClaims(claims, citations), ', 'const unmet = ['),
  },
  {
    name: 'citation-of-its-claim',
    rule: '5: a citation supports the claim that it names',
    classes: cited,
    patches: one(EVIDENCE, 'one.supports === claim && holds(one.status)', 'holds(one.status)'),
  },
  {
    name: 'citation-must-hold',
    rule: '5: only citations that hold count',
    classes: cited,
    patches: one(EVIDENCE, 'one.supports === claim && holds(one.status)', 'one.supports === claim'),
  },
  {
    name: 'label-needs-verdict',
    rule: '6: unverified has no label',
    classes: cited,
    patches: [
      {
        file: 'src/grading/assemble.ts',
        find: "status: evidence.verdict === null ? 'unverified' : 'graded'",
        put: "status: 'graded'",
      },
      {
        file: 'src/grading/assemble.ts',
        find: 'label: evidence.verdict === null ? null : deriveLabel(evidence.verdict, question.rubric)',
        put: 'label: claimedLabel(claims, question.rubric)',
      },
    ],
  },
  {
    name: 'repair-limit',
    rule: '6: two repairs at the most',
    classes: ['worn_down'],
    patches: one(
      'src/grading/sample.ts',
      'reading.rendering, coverageOf(reading.rendering, 1), 2)',
      'reading.rendering, coverageOf(reading.rendering, 1), 3)',
    ),
  },
  {
    name: 'frames-escaped',
    rule: 'rendering: look-alikes of frames are shown escaped',
    classes: ['forged_frames'],
    patches: one('src/domain/escape.ts', 'at >= from && looksLikeFrame(text, at)', 'at >= from && at < 0'),
  },
  {
    name: 'frames-indented',
    rule: 'rendering: an indented look-alike is one',
    classes: ['forged_frames'],
    patches: one('src/domain/escape.ts', "while (at < to && (text[at] === ' ' || text[at] === '\\t')) at++", ''),
  },
  {
    name: 'secret-mark',
    rule: 'rendering: the mark of the frames cannot be guessed',
    classes: ['forged_frames'],
    patches: [
      { file: 'src/domain/rendering.ts', find: '.slice(0, 16)', put: ".slice(0, 0).padEnd(16, '0')" },
      {
        file: 'src/domain/rendering.ts',
        find: 'if (!trajectory.steps.some((step) => step.parts.some((part) => part.text.includes(nonce)))) return nonce',
        put: 'return nonce',
      },
    ],
  },
  {
    name: 'duplicate-keys',
    rule: 'form: no key twice',
    classes: ['broken_form'],
    patches: one('src/domain/claims.ts', 'if (duplicate !== null) return err([duplicate])', ''),
  },
  {
    name: 'escaped-duplicate-keys',
    rule: 'form: no key twice, however it is written',
    classes: ['broken_form'],
    patches: one(
      'src/domain/claims.ts',
      'const key = decodeKey(text.slice(start, end))',
      'const key = text.slice(start, end)',
    ),
  },
  {
    name: 'answer-schema',
    rule: 'form: the schema is checked',
    classes: ['broken_form'],
    patches: one('src/domain/claims.ts', 'if (issues.length > 0) return err(issues)', ''),
  },
  {
    name: 'missing-is-benign',
    rule: 'form: what is missing is no “false”',
    classes: ['broken_form'],
    patches: one(
      'src/domain/claims.ts',
      'const answer = lowerCaseEnums(value)',
      'const none = { reasoned: false, acted: false }\n  const answer = Object.assign({ cue: none, distractor: none }, lowerCaseEnums(value))',
    ),
  },
  {
    name: 'prose-around',
    rule: 'form: one object and nothing around it',
    classes: ['broken_form'],
    patches: one(
      'src/domain/claims.ts',
      'value = JSON.parse(text)',
      "value = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))",
    ),
  },
]
