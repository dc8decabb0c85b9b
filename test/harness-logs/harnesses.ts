import { atifClaudeCode, atifCodex, atifGemini, atifMini, atifOpencode, atifOpenhands, terminus2 } from './atif.ts'
import { openaiChat, stepList } from './chat.ts'
import { claudeCode } from './claude-code.ts'
import { codex, codexArgv } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { openhands } from './openhands.ts'
import { miniSweAgent, sweAgent } from './swe-agents.ts'
import type { Harness } from './turn.ts'

export * from './atif.ts'
export * from './chat.ts'
export * from './claude-code.ts'
export * from './codex.ts'
export * from './cursor.ts'
export * from './forms.ts'
export * from './gemini-cli.ts'
export * from './openhands.ts'
export * from './swe-agents.ts'
export * from './turn.ts'

/** Harnesses whose logs distinguish acts from messages. */
export const HARNESSES: readonly Harness[] = [
  claudeCode,
  codex,
  codexArgv,
  geminiCli,
  openhands,
  sweAgent,
  miniSweAgent,
  terminus2,
  atifClaudeCode,
  atifCodex,
  atifOpenhands,
  atifGemini,
  atifMini,
  atifOpencode,
  openaiChat,
  stepList,
]
