// sound.js -- a small wooden click for a move, made on the spot; off unless asked for.

let audio = null;

function knock(at, pitch) {
  const tone = audio.createOscillator(), gain = audio.createGain();
  tone.frequency.setValueAtTime(pitch, at);
  tone.frequency.exponentialRampToValueAtTime(pitch / 3, at + 0.05);
  gain.gain.setValueAtTime(0.25, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.07);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.08);
}

// One knock for a step, one for each jump of a capture.
export function knocks(path, captured) {
  audio ??= new AudioContext();
  const jumps = Math.max(1, captured.length);
  for (let i = 0; i < jumps; i++) knock(audio.currentTime + 0.12 + i * 0.2, captured.length ? 420 : 300);
}
