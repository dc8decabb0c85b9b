import { inputIssues } from '../../../schemas/check.ts'
import { type ClaimManifest, type RubricManifest, RubricManifestSchema } from '../../../schemas/rubric.ts'
import { type Digest, digestValue } from '../../digest.ts'
import { err, type Issue, ok, type Result } from '../../result.ts'
import { answerSchemaOf, splitClaim } from '../claims.ts'
import { promptNames, readTemplate } from '../prompt.ts'
import { allClaims, type ClaimRule, NO_PROOF, type ProofRule, type Rubric, type TruthRule } from '../rubric.ts'
import { claimIssues, togetherIssues } from './claim-issues.ts'
import { parseOutcome } from './parse-outcome.ts'
import { readTruth } from './truth.ts'

export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
}

/** Checks a rubric whole: form, truth, claims, proofs, outcome, prompt variables. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = inputIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const { truth, issues: truthIssues } = readTruth(manifest.truth)
  if (truthIssues.length > 0) return err(truthIssues)
  const claims = Object.entries(manifest.claims).map(([id, claim]) => claimOf(id, claim))
  const { outcome, issues: outcomeIssues } = parseOutcome(manifest.outcome, claims)
  const about = manifest.about ?? 'run'
  const issues = [
    ...claims.flatMap((claim) => claimIssues(claim, claims, truth)),
    ...togetherIssues({ about, claims, truth }),
    ...outcomeIssues,
    ...promptIssues(source, truth),
  ]
  if (issues.length > 0 || outcome === null) return err(issues)
  const { id, version, title, description, shows_signals = [], outcome: outcome_given } = manifest
  const in_booleans = manifest.answers === 'booleans'
  const answer_schema = answerSchemaOf(claims, in_booleans ? 'booleans' : 'words')
  const digest = digestValue({ ...source, answer_schema })
  const { system, question } = source
  return ok({
    ...{ id, version, name: `${id}@${version}`, title, description, digest: REWRITTEN[digest] ?? digest },
    ...{ system, question, answer_schema, in_booleans, shows_signals, about, truth, claims, outcome, outcome_given },
  })
}

/** Rubrics whose files were written otherwise, and ask the same: by the digest of today, the one that stored grades and cache keys have. */
const REWRITTEN: Readonly<Record<Digest, Digest>> = {
  'sha256:762dbedbe736a6ad6694382e9ca4d5da6dbef096fbda222e3b81f984f1eb03e9':
    'sha256:f39ccc5b541ba56ce7aaa3d43055cdb8d0310c9b195f677d1f41d43fbbd2edee',
  'sha256:c666b52a1460e2877967651419e5806b8d53994054e66991396aaba77e27d1d7':
    'sha256:58bfa41a3cbfeb04404b1199fe630e3511758953898ec29402e952b12e470712',
}

/** Members of a claim that its manifest may leave out. */
const UNSAID = {
  ...{ values: [], minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ...{ only_if: null, only_if_given: null, unclear: 'refuses' as const, measured_by: null },
}

function claimOf(
  id: string,
  { of = {}, proof = {}, computed, capped_by_document, ...given }: ClaimManifest,
): ClaimRule {
  const proofs = Object.entries(proof).map(([value, { search_finds_nothing_of = [], ...own }]): [string, ProofRule] => [
    value,
    { ...NO_PROOF, ...own, finds_nothing_of: search_finds_nothing_of },
  ])
  return {
    ...{ ...UNSAID, ...given, id, runs_of: computed?.runs_of ?? null, cap: capped_by_document ?? null },
    of: Object.entries(of).map(([name, one]) => claimOf(`${id}.${name}`, one)),
    proofs: Object.fromEntries(proofs),
  }
}

/** The path of an issue of a text is the file and the line: `/question.md/7`. */
function promptIssues({ question, system }: RubricSource, truth: TruthRule): Issue[] {
  const { variables, sections, faults } = readTemplate(question)
  const names = promptNames({ truth })
  const used = variables.filter(({ name, section }) => section === null || section.name === name)
  const missing = ['nonce', 'claims', ...truth.instructions]
    .filter((needed) => !used.some(({ name }) => name === needed))
    .map((name) => ({ message: `does not use {{${name}}}: write it ${NEEDED[name] ?? OF_TRUTH}`, at: 0 }))
  const unknown = [
    ...variables
      .filter(({ name }) => !names.variables.includes(name))
      .map(({ name, at }) => ({ message: `there is no {{${name}}}; there are: ${names.variables.join(', ')}`, at })),
    ...sections
      .filter(({ name }) => !names.sections.includes(name))
      .map(({ name, at }) => ({ message: `there is no {{#${name}}}; there are: ${names.sections.join(', ')}`, at })),
  ]
  const tag = system.indexOf('{{')
  return [
    ...[...unknown, ...missing, ...faults].map(({ message, at }) => issueAt('question.md', question, at, message)),
    ...(tag === -1 ? [] : [issueAt('system.md', system, tag, FROZEN)]),
    ...(system.trim() === '' ? [issueAt('system.md', system, 0, EMPTY)] : []),
  ]
}

const issueAt = (file: string, text: string, at: number, message: string): Issue => ({
  path: `/${file}/${text.slice(0, at).split('\n').length}`,
  message,
})

const OF_TRUTH = 'where the judge is to read it'
const NEEDED: Readonly<Record<string, string>> = {
  nonce: 'into every frame, as in === QUESTION · {{nonce}} ===, or the run could forge one',
  claims: 'near the top: a judge that is shown one part of a long run is told so there',
}
const FROZEN = 'is the same for every run and holds no {{variable}}: move what needs one to question.md'
const EMPTY = 'is empty: say there how the record is to be read, as `veridict rubric new` writes it'

/** Lists statements of a rubric that its author hardly means. */
export function rubricWarnings(rubric: Rubric): Issue[] {
  const { question, system, claims, truth } = rubric
  const used = readTemplate(question).variables.map(({ name }) => name)
  const text = `${question}\n${system}`
  const inQuestion = (message: string): Issue => ({ path: '/question.md/1', message })
  return [
    ...allClaims(claims).flatMap(({ id, type, values, runs_of }): Issue[] => {
      if (runs_of !== null || type === 'list') return []
      if (!text.includes(`\`${id}\``) && !text.includes(`\`${splitClaim(id)[1]}\``))
        return [inQuestion(`never mentions \`${id}\`: say what it asks, and when each answer is right`)]
      const silent = values.filter((value) => !text.includes(`\`${value}\``))
      return silent.length === 0
        ? []
        : [inQuestion(`never says when \`${id}\` is ${silent.map((one) => `\`${one}\``).join(', ')}`)]
    }),
    ...truth.members
      .filter((name) => !used.includes(name))
      .map((name) => inQuestion(`never uses {{${name}}}: the judge does not learn what the truth says of it`)),
    ...(used.includes('answer_schema')
      ? []
      : [inQuestion(`never uses {{answer_schema}}: a judge whose provider holds it to no form is not told the form`)]),
  ]
}
