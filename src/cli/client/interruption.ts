import { signalEcho } from '../../process/signal-echo.ts'
import { CliError, EXIT } from './cli-error.ts'
import type { Shell } from './shell.ts'

interface Interruption {
  /** Aborts at the first Ctrl-C, SIGTERM, or SIGHUP of a closing terminal. */
  readonly signal: AbortSignal
  /** Removes the signal handlers. */
  release(): void
}

/**
 * Watches the signals of the shell. The first signal asks for a clean stop; a second Ctrl-C or SIGTERM ends the process at once. A second
 * SIGHUP does not: the kernel and the shell both send SIGHUP when a terminal closes.
 */
export function watchInterruption(shell: Shell): Interruption {
  const controller = new AbortController()
  const stop = () => controller.abort(new CliError('interrupted', [], EXIT.interrupted))
  const isEcho = signalEcho(shell.env)
  const onSignal = () => {
    if (isEcho()) return
    if (controller.signal.aborted) shell.exit(EXIT.interrupted)
    else stop()
  }
  shell.signals.on('SIGINT', onSignal)
  shell.signals.on('SIGTERM', onSignal)
  shell.signals.on('SIGHUP', stop)
  return {
    signal: controller.signal,
    release() {
      shell.signals.off('SIGINT', onSignal)
      shell.signals.off('SIGTERM', onSignal)
      shell.signals.off('SIGHUP', stop)
    },
  }
}
