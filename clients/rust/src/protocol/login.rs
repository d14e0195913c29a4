use super::sha1::sha1;

/// Answers a challenge of `mysql_native_password`. The answer to the empty password is empty.
pub fn native_password(password: &[u8], challenge: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let once = sha1(password);
    let mask = sha1(&[challenge, &sha1(&once)].concat());
    once.iter().zip(mask).map(|(a, b)| a ^ b).collect()
}
