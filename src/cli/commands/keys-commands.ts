import { Command, Option } from 'commander'
import { createKey, findPlanFault, type KeyView, listKeys, revokeKey } from '../../access/keys.ts'
import { CliError } from '../client/cli-error.ts'
import { EXIT, type ExitCode } from '../client/exit-codes.ts'
import { openKeys, type StoredKeys } from '../client/open-keys.ts'
import type { Shell } from '../client/shell.ts'
import { shownNames } from '../client/stored-place.ts'
import { type CreateOptions, planOf, withCreateOptions } from '../input/keys-options.ts'
import { line } from '../input/ndjson.ts'
import { runCommand } from '../output/error-text.ts'
import { CREATE_HELP, KEYS_HELP, LIST_HELP, REVOKE_HELP } from '../output/keys-help.ts'
import { renderKey, renderKeyTable } from '../output/keys-text.ts'
import { oneLine } from '../results/terminal-text.ts'

/** Builds `veridict keys …`, which works on the database, with or without a service. */
export function keysCommand(shell: Shell): Command {
  const withKeys = (work: (stored: StoredKeys) => Promise<ExitCode>, make = false) =>
    runCommand(shell, async () => {
      const stored = await openKeys(shell.env, make)
      try {
        return await work(stored)
      } finally {
        await stored.close()
      }
    })
  const keys = new Command('keys')
    .description('make, list and revoke keys of the service')
    .addHelpText('after', KEYS_HELP)
  keys.addCommand(
    withCreateOptions(new Command('create'))
      .description('make a key and print it, once')
      .argument('<name>', 'for whom or what it is')
      .addHelpText('after', CREATE_HELP)
      .action((name: string, options: CreateOptions) =>
        withKeys((stored) => create(shell, stored, name, options), true),
      ),
  )
  keys.addCommand(
    new Command('list')
      .description('list all keys, without what is secret')
      .addOption(new Option('-o, --output <format>', 'a table, or a JSON object each').choices(['table', 'json']))
      .addHelpText('after', LIST_HELP)
      .action(({ output }: ListOptions) => withKeys((stored) => list(shell, stored, output === 'json'))),
  )
  keys.addCommand(
    new Command('revoke')
      .description('end a key and its sessions at once')
      .argument('<id>', 'key_…, as `keys list` shows it')
      .addHelpText('after', REVOKE_HELP)
      .action((id: string) => withKeys((stored) => revoke(shell, stored, id))),
  )
  return keys
}

interface ListOptions {
  readonly output?: 'table' | 'json'
}

async function create(shell: Shell, stored: StoredKeys, name: string, options: CreateOptions): Promise<ExitCode> {
  const now = new Date()
  const plan = planOf(name, options, now)
  const fault = findPlanFault(plan, now)
  if (fault !== null) throw new CliError(`no key was made: ${fault}`)
  const { key, token } = await createKey(stored.store, plan, now)
  if (options.output === 'json') shell.out.write(line({ ...key, token }))
  else shell.out.write(`${token}\n`)
  shell.err.write(`${renderKey(key)}\nin ${oneLine(stored.database)}\n${newProject(stored, key.project)}${ONCE}\n`)
  return EXIT.graded
}

/** Builds the hint for a new project: a mistyped name would be an empty project. */
const newProject = ({ projects }: StoredKeys, project: string): string =>
  projects.includes(project)
    ? ''
    : `project ${project} is new, and made with its first request; there are: ${shownNames(projects)}\n`

const ONCE =
  'The key above is shown this once: only a digest of it is kept. Give it as VERIDICT_API_KEY, or as Authorization: Bearer.'

async function list(shell: Shell, stored: StoredKeys, json: boolean): Promise<ExitCode> {
  const keys: readonly KeyView[] = await listKeys(stored.store, new Date())
  if (json) for (const key of keys) shell.out.write(line(key))
  else if (keys.length > 0) shell.out.write(renderKeyTable(keys))
  if (keys.length === 0)
    shell.err.write(`no keys in ${oneLine(stored.database)}; veridict keys create NAME makes one\n`)
  return EXIT.graded
}

async function revoke(shell: Shell, stored: StoredKeys, id: string): Promise<ExitCode> {
  const key = await revokeKey(stored.store, id, new Date())
  if (key === null) {
    const hint = id.startsWith('vk_')
      ? ['Give the id, not the key itself: key_ and the part between the two first "_".']
      : []
    throw new CliError(`there is no such key in ${oneLine(stored.database)}`, [
      ...hint,
      'List them: veridict keys list',
    ])
  }
  shell.err.write(`${key.id} (${oneLine(key.name)}) is revoked since ${key.revoked_at}; batches that it began go on\n`)
  return EXIT.graded
}
