/** Rows come a moment after the scrolling; where nothing has come by then, nothing is there. */
const PATIENCE_MS = 3000

/**
 * Brings something of a virtual list into sight once its row is in the page. `wanted` is an id, or a selector that begins with
 * `[`. Gives up when asked for something else meanwhile.
 */
export function focusWhenThere(box: HTMLElement | null, wanted: string, focus = true): void {
  const turn = ++latest
  const until = performance.now() + PATIENCE_MS
  const look = () => {
    if (turn !== latest || box === null) return
    const found = wanted.startsWith('[') ? box.querySelector<HTMLElement>(wanted) : document.getElementById(wanted)
    if (found === null) {
      if (performance.now() < until) requestAnimationFrame(look)
      return
    }
    bringIntoSight(box, found)
    if (focus) found.focus({ preventScroll: true })
  }
  requestAnimationFrame(look)
}

let latest = 0

/** A step to the top, anything else to the upper third. Only the list scrolls, never the page around it. */
function bringIntoSight(box: HTMLElement, found: HTMLElement): void {
  const [outer, inner] = [box.getBoundingClientRect(), found.getBoundingClientRect()]
  const isStep = found.classList.contains('step')
  if (isStep && Math.abs(inner.top - outer.top) < 4) return
  box.scrollTop += inner.top - outer.top - (isStep ? 0 : outer.height / 3)
}
