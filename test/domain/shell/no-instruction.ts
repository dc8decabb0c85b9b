import type { ScriptContext } from '../../../src/domain/shell/script.ts'

/** The context of a script where no instruction names or says anything. */
export const NO_INSTRUCTION: ScriptContext = {
  names: () => false,
  says: () => false,
  isGiven: () => false,
  saysBesides: () => false,
}
