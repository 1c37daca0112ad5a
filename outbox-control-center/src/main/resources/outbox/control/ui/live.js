import { useEffect, useState } from './parts.js';
import { app as path } from './api.js';

/** What the server sees, as it sees it; nothing is asked for while the tab is hidden. @return whether it is live */
export function useLive(app, onSample, onOpen) {
  const [live, setLive] = useState(false);
  useEffect(() => {
    let stream = null;
    const close = () => { stream?.close(); stream = null; setLive(false); };
    const open = () => {
      if (document.hidden || stream) return;
      onOpen?.();
      stream = new EventSource('api/v1' + path(app) + '/stream');
      stream.addEventListener('sample', (message) => { setLive(true); onSample(JSON.parse(message.data)); });
      stream.onerror = () => setLive(false);
    };
    const visible = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', visible);
    open();
    return () => { document.removeEventListener('visibilitychange', visible); stream?.close(); };
  }, [app]);
  return live;
}
