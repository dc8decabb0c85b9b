import { Command } from 'commander'
import { backUpDatabase } from '../../db/files/backup.ts'
import { count } from '../../domain/count.ts'
import { type DatabaseOption, existingDatabase, withDatabase } from '../client/database.ts'
import { EXIT, runCommand } from '../client/errors.ts'
import { withConsole } from '../client/session.ts'
import type { Shell } from '../client/shell.ts'
import { inert } from '../output/text.ts'

const BACKUP_HELP = `
Copies the database beside a running service. FILE must not exist; it appears when the copy is whole, and is readable by you alone. To
put it back: stop the service, copy FILE to VERIDICT_DATABASE, remove its -wal and -shm, run \`veridict doctor\`, start the service.

Example:
  veridict backup /backups/veridict-2026-11-21.sqlite`

export const backupCommand = (shell: Shell): Command =>
  withDatabase(new Command('backup'))
    .description('copy the database beside a running service')
    .argument('<file>', 'the new file')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: DatabaseOption) =>
      runCommand(shell, () =>
        withConsole(shell, undefined, async ({ signal }) => {
          const bytes = await backUpDatabase(existingDatabase(shell, options), file, signal)
          shell.out.write(`${inert(file)}: ${count(bytes, 'byte')}\n`)
          return EXIT.graded
        }),
      ),
    )
