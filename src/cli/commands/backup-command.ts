import type { Command } from 'commander'
import { backUpDatabase } from '../../db/files/file.ts'
import { count } from '../../domain/words.ts'
import { type DatabaseOption, existingDatabase, withDatabase } from '../database.ts'
import { EXIT } from '../errors.ts'
import { jsonCommand } from '../input/command-options.ts'
import { inert } from '../output/text.ts'
import { inConsole } from '../session.ts'
import type { Shell } from '../shell.ts'

const BACKUP_HELP = `
Copies the database beside a running service. FILE must not exist; it appears when the copy is whole, and is readable by you alone. To
put it back: stop the service, copy FILE to VERIDICT_DATABASE, remove its -wal and -shm, run \`veridict doctor\`, start the service.

Example:
  veridict backup /backups/veridict-2026-11-21.sqlite`

export const backupCommand = (shell: Shell): Command =>
  withDatabase(jsonCommand('backup', 'copy the database beside a running service'))
    .argument('<file>', 'the new file')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: DatabaseOption) =>
      inConsole(shell, options, async (console) => {
        const bytes = await backUpDatabase(existingDatabase(shell, options), file, console.signal)
        console.data = { file, bytes }
        await console.target.write(`${inert(file)}: ${count(bytes, 'byte')}\n`)
        return EXIT.graded
      }),
    )
