import { EXIT, type ExitCode } from './exit-codes.ts'

/** Something to tell the user: what is wrong, what to do about it, and how the command exits. */
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
