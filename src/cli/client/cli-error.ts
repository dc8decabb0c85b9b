import { EXIT, type ExitCode } from './exit-codes.ts'

/** Reports a failure to the user: the message, the advice, and the exit code of the command. */
export class CliError extends Error {
  readonly advice: readonly string[]
  readonly exit: ExitCode

  constructor(message: string, advice: readonly string[] = [], exit: ExitCode = EXIT.refused) {
    super(message)
    this.name = 'CliError'
    this.advice = advice
    this.exit = exit
  }
}
