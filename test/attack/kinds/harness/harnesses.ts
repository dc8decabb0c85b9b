import type { Harness } from '../turn.ts'
import { atifClaudeCode, atifCodex, atifGemini, atifMini, atifOpencode, atifOpenhands, terminus2 } from './atif.ts'
import { openaiChat, stepList } from './chat.ts'
import { claudeCode } from './claude-code.ts'
import { codex, codexArgv } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { openhands } from './openhands.ts'
import { miniSweAgent, sweAgent } from './swe-agents.ts'

/** Harnesses whose logs tell acts from words. */
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
