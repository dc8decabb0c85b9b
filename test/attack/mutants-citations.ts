import { ANY_LANDMARKS, CITED, type Mutant, one } from './mutant.ts'

const EVIDENCE = 'src/domain/evidence/evidence.ts'
const CITATION = 'src/domain/evidence/evidence-citation.ts'
const UNMET = 'src/domain/evidence/evidence-unmet.ts'

/** Rules 1 to 5 for what is cited. */
export const CITATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'step-existence',
    rule: '1: the cited step exists',
    classes: CITED,
    patches: one(
      CITATION,
      'const step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)',
      'let step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)\n  if (step === -1) step = locator.anywhere(given.quote) ?? -1',
    ),
  },
  {
    name: 'quote-in-its-step',
    rule: '2: the quote stands in the cited step',
    classes: CITED,
    patches: one(
      CITATION,
      'locator.inStep(step, given.quote)',
      'locator.inStep(locator.anywhere(given.quote) ?? step, given.quote)',
    ),
  },
  {
    name: 'quote-verbatim',
    rule: '1: the quote stands somewhere',
    classes: CITED,
    patches: one(
      CITATION,
      "found === undefined ? fail('not_found')",
      "found === undefined ? { ...fail('verified'), proved: 'sure' as const }",
    ),
  },
  {
    name: 'quote-case',
    rule: '2: nothing fuzzy, letters keep their case',
    classes: CITED,
    patches: [
      ...ANY_LANDMARKS,
      ...one(
        'src/domain/text/fold.ts',
        'codes[length++] = code',
        'codes[length++] = code >= 0x41 && code <= 0x5a ? code + 32 : code',
      ),
      ...one('src/domain/text/fold.ts', 'isFolded(text) ? text : fold(text, options).text', 'fold(text, options).text'),
    ],
  },
  {
    name: 'quote-ending',
    rule: '2: nothing fuzzy, to the last digit',
    classes: CITED,
    patches: [
      ...ANY_LANDMARKS,
      ...one('src/domain/quotes/quote-readings.ts', 'folded: foldOne(text),', 'folded: foldOne(text).slice(0, -2),'),
    ],
  },
  {
    name: 'too-short',
    rule: '2: short quotes prove nothing',
    classes: CITED,
    patches: one('src/domain/quotes/quote-readings.ts', 'const SHORT_QUOTE = 12', 'const SHORT_QUOTE = 1'),
  },
  {
    name: 'actor',
    rule: '3: evidence has an actor',
    classes: CITED,
    patches: one(
      CITATION,
      '!mayCite(part, cited, question, observations)',
      '(part.media && !mayCite(part, cited, question, observations))',
    ),
  },
  {
    name: 'narration-acts',
    rule: '3: narration never proves an action',
    classes: ['rewritten_narration', 'bad_evidence'],
    patches: one(CITATION, "part.actor === 'agent_action' ||", "part.actor !== 'tool_output' ||"),
  },
  {
    name: 'prompt-is-surface',
    rule: '3: the user’s words are a surface only where the surface is the prompt',
    classes: CITED,
    patches: one(
      CITATION,
      "if (isSight) return in_prompt !== null || part.actor === 'tool_output'",
      'if (isSight) return true',
    ),
  },
  {
    name: 'order',
    rule: '4: what was acted on was seen before',
    classes: CITED,
    patches: one(
      CITATION,
      "return first !== null && happensAfter(trajectory, position, first) ? match : 'out_of_order'",
      'return match',
    ),
  },
  {
    name: 'order-within-step',
    rule: '4: a step’s observation comes after its own action',
    classes: CITED,
    patches: one(
      'src/domain/trajectory/trajectory.ts',
      '(a.step !== b.step ? a.step < b.step : a.part < b.part)',
      'a.step <= b.step',
    ),
  },
  {
    name: 'claims-need-citations',
    rule: '5: what is claimed needs a citation',
    classes: CITED,
    patches: one(EVIDENCE, '...uncitedClaims(claims, checked, rubric),', ''),
  },
  {
    name: 'citation-of-its-claim',
    rule: '5: a citation supports the claim that it names',
    classes: CITED,
    patches: one(UNMET, '!given.some((one) => isProof(one.proved))', '!checked.some((one) => isProof(one.proved))'),
  },
  {
    name: 'citation-must-hold',
    rule: '5: only citations that hold count',
    classes: CITED,
    patches: one(UNMET, '!given.some((one) => isProof(one.proved))', 'given.length === 0'),
  },
]
