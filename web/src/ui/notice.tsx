import { useEffect, useState } from 'preact/hooks'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'

let show: (text: string) => void = () => undefined

/** Confirms an act of the reader at the foot of the window, wherever the page is scrolled. */
export const confirmAct = (text: string): void => show(text)

/** The confirmation of the last act, until the reader closes it or goes on to another page or question. */
export function Confirmation() {
  const [text, setText] = useState('')
  const { path, query } = usePlace()
  show = setText
  useEffect(() => setText(''), [path, query.get('at')])
  return (
    <div class="confirmation" role="status">
      {text !== '' && (
        <p>
          <HostileText text={text} />{' '}
          <button type="button" class="quiet" onClick={() => setText('')}>
            Close
          </button>
        </p>
      )}
    </div>
  )
}
