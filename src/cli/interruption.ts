import { CliError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'
import type { Shell } from './shell.ts'

export interface Interruption {
  /** Aborted by the first Ctrl-C (or SIGTERM). */
  readonly signal: AbortSignal
  /** Gives the signals back. */
  release(): void
}

/** The first signal asks for a clean stop; the second one ends the process at once. */
export function watchInterruption(shell: Shell): Interruption {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    else controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  }
  shell.signals.on('SIGINT', onSignal)
  shell.signals.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release() {
      shell.signals.off('SIGINT', onSignal)
      shell.signals.off('SIGTERM', onSignal)
    },
  }
}
