import { useState } from 'preact/hooks'
import { useShortcuts } from '../ui/keyboard.ts'
import { recall, remember } from '../ui/memory.ts'

const KEY = 'veridict.tool-output'

/** Whether tool output is folded, in this and every other trajectory that this browser shows. */
export function useFoldedTools(): readonly [boolean, () => void] {
  const [folded, setFolded] = useState(() => recall(KEY) === 'folded')
  const change = () => {
    remember(KEY, folded ? 'open' : 'folded')
    setFolded(!folded)
  }
  useShortcuts([{ key: 'o', what: 'fold or unfold all tool output', run: change }])
  return [folded, change]
}
