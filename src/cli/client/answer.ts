import type { Static, TSchema } from 'typebox'
import { schemaIssues } from '../../schemas/check.ts'
import { oneLine } from '../results/terminal-text.ts'
import { CliError } from './cli-error.ts'

/** Words that are printed as they are: ids, times, labels, and the words of closed sets. */
const PLAIN = '^[!-~]{1,200}$'
const PLAIN_NAMES = /^(?:id|grade_id|base_grade_id|label|\w+_at|ends_by)$/

type Node = Readonly<Record<string, unknown>>

/**
 * Relaxes a schema of the contract to the part that commands rely on. A newer service may send more members, and more words of a closed set
 * other than `status`; all words that are printed as they are must be plain. `name`: the property that the schema describes.
 */
function relaxed(schema: unknown, name = ''): unknown {
  if (Array.isArray(schema)) return schema.map((member) => relaxed(member, name))
  if (typeof schema !== 'object' || schema === null) return schema
  const pattern = PLAIN_NAMES.test(name) && 'type' in schema && schema.type === 'string' ? { pattern: PLAIN } : {}
  const keywords = Object.entries(schema).map(([keyword, value]): Node => {
    if (keyword === 'additionalProperties' && value === false) return membersOf({})
    if (keyword === 'enum' && name !== 'status') return { pattern: PLAIN }
    if (keyword === 'properties')
      return {
        properties: Object.fromEntries(
          Object.entries(value as Node).map(([key, member]) => [key, relaxed(member, key)]),
        ),
      }
    if (keyword === 'patternProperties') return membersOf(relaxed(Object.values(value as Node)[0]))
    return { [keyword]: keyword === 'enum' || keyword === 'required' ? value : relaxed(value, name) }
  })
  return Object.assign({}, ...keywords, pattern)
}

/** Names of members are words, too: labels, codes, ids of claims. */
const membersOf = (schema: unknown): Node => ({ patternProperties: { [PLAIN]: schema }, additionalProperties: false })

/**
 * Creates the check of an answer against a schema of the contract. The check throws a `CliError`: the answer is not of a Veridict service.
 */
export function answerOf<S extends TSchema>(schema: S): (base: string, value: unknown) => Static<S> {
  const shape = relaxed(schema) as object
  return (base, value) => {
    if (schemaIssues(shape, value).length > 0) throw strangeAnswer(base, 'JSON that says something else than was asked')
    return value as Static<S>
  }
}

/** Makes the error of an answer that no Veridict service gives. */
export const strangeAnswer = (base: string, answer: string): CliError =>
  new CliError(`${oneLine(base)} answered ${answer}: is this a Veridict service?`, [
    '--server and VERIDICT_SERVER take the address that `veridict serve` logs, like http://127.0.0.1:8787',
  ])
