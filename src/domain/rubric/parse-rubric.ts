import { schemaIssues } from '../../schemas/check.ts'
import { type ClaimManifest, type RubricManifest, RubricManifestSchema } from '../../schemas/rubric.ts'
import { type Digest, digestValue, keepEncoding } from '../digest.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { answerSchemaOf } from './answer-schema.ts'
import { claimIssues, NO_PROOF, rubricIssues } from './claim-issues.ts'
import { parseOutcome } from './parse-outcome.ts'
import { promptNames } from './prompt-names.ts'
import type { ClaimRule, ProofRule, Rubric } from './rubric.ts'
import { readTemplate } from './template.ts'
import { readTruth } from './truth.ts'

/** The files of one rubric folder, read. */
export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
}

/** Checks a rubric whole: form, truth, claims, proofs, outcome, prompt variables. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = schemaIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const { truth, issues: truthIssues } = readTruth(manifest.truth)
  const claims = Object.entries(manifest.claims).map(([id, claim]) => claimOf(id, claim))
  const { outcome, issues: outcomeIssues } = parseOutcome(manifest.outcome, claims)
  const issues = [...truthIssues, ...claims.flatMap((claim) => claimIssues(claim, claims, truth)), ...outcomeIssues]
  if (issues.length > 0 || outcome === null) return err(issues)
  const inBooleans = manifest.answers === 'booleans'
  const answer_schema = keepEncoding(answerSchemaOf(claims, inBooleans))
  const digest = digestValue({ ...source, answer_schema })
  const rubric: Rubric = {
    id: manifest.id,
    version: manifest.version,
    name: `${manifest.id}@${manifest.version}`,
    title: manifest.title,
    description: manifest.description,
    digest: REWRITTEN[digest] ?? digest,
    system: source.system,
    question: source.question,
    answer_schema,
    in_booleans: inBooleans,
    shows_signals: manifest.shows_signals ?? [],
    about: manifest.about ?? 'run',
    truth,
    claims,
    outcome,
  }
  const rest = [...rubricIssues(rubric), ...promptIssues(rubric)]
  return rest.length > 0 ? err(rest) : ok(rubric)
}

/** Rubrics whose files were written otherwise, and ask the same: by the digest of today, the one that stored grades and cache keys have. */
const REWRITTEN: Readonly<Record<Digest, Digest>> = {
  'sha256:762dbedbe736a6ad6694382e9ca4d5da6dbef096fbda222e3b81f984f1eb03e9':
    'sha256:f39ccc5b541ba56ce7aaa3d43055cdb8d0310c9b195f677d1f41d43fbbd2edee',
  'sha256:c666b52a1460e2877967651419e5806b8d53994054e66991396aaba77e27d1d7':
    'sha256:58bfa41a3cbfeb04404b1199fe630e3511758953898ec29402e952b12e470712',
}

function claimOf(id: string, given: ClaimManifest): ClaimRule {
  const proofs = Object.entries(given.proof ?? {}).map(([value, proof]): [string, ProofRule] => {
    const { search_finds_nothing_of = [], ...own } = proof
    return [value, { ...NO_PROOF, ...own, finds_nothing_of: search_finds_nothing_of }]
  })
  return {
    id,
    type: given.type,
    values: given.values ?? [],
    minimum: given.minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: given.maximum ?? Number.MAX_SAFE_INTEGER,
    only_if: given.only_if ?? null,
    only_if_given: given.only_if_given ?? null,
    unclear: given.unclear ?? 'refuses',
    measured_by: given.measured_by ?? null,
    runs_of: given.computed?.runs_of ?? null,
    cap: given.capped_by_document ?? null,
    of: Object.entries(given.of ?? {}).map(([name, one]) => claimOf(`${id}.${name}`, one)),
    proofs: Object.fromEntries(proofs),
  }
}

function promptIssues(rubric: Rubric): Issue[] {
  const { pieces, sections, faults } = readTemplate(rubric.question)
  const used = pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : []))
  const names = promptNames(rubric)
  const unknown = [
    ...used
      .filter((name) => !names.variables.includes(name))
      .map((name) => `unknown variable {{${name}}}; there are: ${names.variables.join(', ')}`),
    ...sections
      .filter((name) => !names.sections.includes(name))
      .map((name) => `unknown section {{#${name}}}; there are: ${names.sections.join(', ')}`),
  ]
  const missing = ['nonce', ...rubric.truth.instructions]
    .filter((name) => !used.includes(name))
    .map((name) => `does not use {{${name}}}`)
  const { system } = rubric
  return [
    ...[...unknown, ...missing, ...faults].map((message) => ({ path: '/question.md', message })),
    ...(system.includes('{{') ? [{ path: '/system.md', message: 'is frozen text and may hold no variable' }] : []),
    ...(system.trim() === '' ? [{ path: '/system.md', message: 'is empty' }] : []),
  ]
}
