import type { Command } from 'commander'

/** `veridict --server URL status` is `veridict status --server URL`; a command that asks no service refuses it. */
export const withServerBefore = (program: Command): Command =>
  program
    .enablePositionalOptions()
    .option('--server <url>', 'a running service, for the commands that ask one; the same behind the command')
    .hook('preAction', (_program, action) => {
      const { server } = program.opts<{ server?: string }>()
      if (server === undefined) return
      if (!action.options.some(({ long }) => long === '--server'))
        action.error(`error: ${action.name()} asks no service, and takes no --server`)
      if (action.getOptionValueSource('server') === undefined) action.setOptionValue('server', server)
    })
