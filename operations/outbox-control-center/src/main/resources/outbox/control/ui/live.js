import { useEffect, useRef, useState } from './parts.js';
import { app as path, lookAgain } from './api.js';

/** Subscribes to samples of the server; closed while the tab is hidden. @return whether it is connected */
export function useLive(app, onSample, onOpen, onProblem) {
  const [live, setLive] = useState(false);
  const latest = useRef(); // the current callback, not the one from when the stream was opened
  latest.current = { onSample, onOpen, onProblem };
  useEffect(() => {
    let stream = null,
      timer;
    const close = () => {
      clearTimeout(timer);
      stream?.close();
      stream = null;
      setLive(false);
    };
    const open = () => {
      if (document.hidden || stream) return;
      latest.current.onOpen?.();
      stream = new EventSource('api/v1' + path(app) + '/stream');
      stream.addEventListener('sample', (message) => {
        setLive(true);
        latest.current.onSample(JSON.parse(message.data));
      });
      stream.addEventListener('problem', (message) => {
        setLive(false);
        latest.current.onProblem?.(JSON.parse(message.data).problem);
      });
      stream.onerror = () => {
        setLive(false);
        if (stream?.readyState === EventSource.CLOSED) {
          // rejected by the server: the browser does not reconnect
          close();
          lookAgain();
          timer = setTimeout(open, 5000);
        }
      };
    };
    const visible = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', visible);
    open();
    return () => {
      document.removeEventListener('visibilitychange', visible);
      clearTimeout(timer);
      stream?.close();
    };
  }, [app]);
  return live;
}
