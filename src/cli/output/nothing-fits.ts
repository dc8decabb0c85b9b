import { NAMED_BY, type NamedBy } from '../../schemas/audit/grade-overview.ts'
import { CliError } from '../client/cli-error.ts'
import type { Client } from '../client/client.ts'
import { oneLine } from '../results/terminal-text.ts'

/** Builds the error of a selection without grades, with the names that do have grades. */
export async function nothingFits(
  client: Client,
  query: Readonly<Partial<Record<NamedBy, string | undefined>>>,
): Promise<CliError> {
  const { names } = await client.overview()
  const asked = NAMED_BY.filter((name) => query[name] !== undefined)
  return new CliError(
    'no stored grade fits',
    asked.map(
      (name) => `--${name} ${oneLine(query[name] ?? '')}  there are: ${shownNames(names[name].map(oneLine)) || 'none'}`,
    ),
  )
}

const MOST_NAMES = 20

const shownNames = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ')
