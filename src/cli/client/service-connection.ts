import { readSecrets } from '../../config/environment.ts'
import { RubricError } from '../../domain/rubric/load/rubric-error.ts'
import { inert } from '../output/text.ts'
import { createClient } from './client.ts'
import { CliError, messageOf, readStorageFailure } from './errors.ts'
import type { DatabaseUse, ServiceConnection, Shell } from './shell.ts'

export const SERVER_HELP = `Where it runs:
  --server URL, or the variable VERIDICT_SERVER, names a running service (\`veridict serve\`).
  VERIDICT_API_KEY is the key for that service.
  Without a named service the command runs its own in this process, on the database VERIDICT_DATABASE. With
  VERIDICT_DATABASE_URL the command stores its batch there, and a service or \`veridict worker\` runs the batch.
  Only commands that grade make a missing database; commands that read refuse a missing database.`

/** Opens the service of `--server` or VERIDICT_SERVER, else one in this process. */
export async function connect(
  shell: Shell,
  server: string | undefined,
  use: DatabaseUse = 'make',
): Promise<ServiceConnection> {
  const url = server ?? (shell.env['VERIDICT_SERVER'] || undefined)
  if (url !== undefined) return remote(url, readKey(shell.env))
  const embedded = await startEmbedded(shell, use)
  let closing: Promise<void> | null = null
  return {
    ...embedded,
    close() {
      closing ??= embedded.close()
      return closing
    },
  }
}

/** Reads the key of the service. The error of an unusable key does not show it; the error of `fetch` would. */
function readKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = readSecrets(env).key('VERIDICT_API_KEY')?.trim()
  if (key !== undefined && !/^[!-~]+$/.test(key))
    throw new CliError('VERIDICT_API_KEY is not a key', [
      'A key looks like vk_…; `veridict keys create NAME` makes a key.',
    ])
  return key
}

function remote(url: string, key: string | undefined): ServiceConnection {
  const parsed = URL.parse(url)
  if (parsed === null || inert(url) !== url || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    throw new CliError(`"${url}" is not the address of a service`, [
      'Give an address like --server http://127.0.0.1:8787',
    ])
  return {
    client: createClient(url, key),
    url,
    embedded: false,
    limits: null,
    flag: ` --server ${url}`,
    hasRunner: () => true,
    shares: false,
    async close() {},
  }
}

async function startEmbedded(shell: Shell, use: DatabaseUse): Promise<ServiceConnection> {
  try {
    return await shell.startEmbedded(shell.env, use)
  } catch (error) {
    if (error instanceof CliError || error instanceof RubricError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const isBusy = /^(?:storage_busy$|SQLITE_(?:BUSY|LOCKED))/.test(code)
    // A service would meet the refusal of a PostgreSQL, too.
    const isRefused = Boolean(shell.env['VERIDICT_DATABASE_URL']) && readStorageFailure(error)?.away !== true
    const advice = 'If a service runs on this database already, use that service: --server http://127.0.0.1:8787'
    throw new CliError(`cannot start in this process: ${messageOf(error)}`, isBusy && !isRefused ? [advice] : [])
  }
}
