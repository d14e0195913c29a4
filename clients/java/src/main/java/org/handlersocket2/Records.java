package org.handlersocket2;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows as objects of the program, and objects as rows. */
final class Records {
  private static final Map<Class<?>, Class<?>> BOXES =
      Map.of(
          long.class, Long.class,
          int.class, Integer.class,
          short.class, Short.class,
          byte.class, Byte.class,
          double.class, Double.class,
          float.class, Float.class,
          boolean.class, Boolean.class);

  private Records() {}

  /** Returns the columns and values of a map, a record or an object with fields. */
  static Row row(Object source) {
    if (source instanceof Map) {
      Row row = new Row();
      ((Map<?, ?>) source).forEach((name, value) -> row.put(String.valueOf(name), value));
      return row;
    }
    if (source == null || source.getClass().getName().startsWith("java.")) {
      throw new ValueError("a row is a Map, a record or an object with fields");
    }
    Row row = new Row();
    try {
      for (Field field : fields(source.getClass())) {
        row.put(column(field.getName()), field.get(source));
      }
    } catch (IllegalAccessException e) {
      throw new ValueError(e.toString());
    }
    return row;
  }

  static <T> T make(Row row, Class<T> type) {
    try {
      List<Field> fields = fields(type);
      if (isRecord(type)) {
        Class<?>[] types = fields.stream().map(Field::getType).toArray(Class<?>[]::new);
        Object[] values = fields.stream().map(field -> value(row, field)).toArray();
        Constructor<T> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
      }
      Constructor<T> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      T made = constructor.newInstance();
      for (Field field : fields) {
        field.set(made, value(row, field));
      }
      return made;
    } catch (InvocationTargetException e) {
      throw new ValueError("a " + type.getName() + " cannot be made: " + e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new ValueError("a " + type.getName() + " cannot be made: " + e);
    }
  }

  private static boolean isRecord(Class<?> type) {
    Class<?> parent = type.getSuperclass();
    return parent != null && parent.getName().equals("java.lang.Record");
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      int skipped = Modifier.STATIC | Modifier.TRANSIENT;
      if ((field.getModifiers() & skipped) == 0 && !field.isSynthetic()) {
        field.setAccessible(true);
        fields.add(field);
      }
    }
    return fields;
  }

  /** The column of a field: user_name for userName. */
  private static String column(String field) {
    return field.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }

  private static Object value(Row row, Field field) {
    String name = row.containsKey(field.getName()) ? field.getName() : column(field.getName());
    Class<?> type = field.getType();
    Object value = row.get(name, BOXES.getOrDefault(type, type));
    if (value == null && type.isPrimitive()) {
      throw new ValueError("column " + name + " is NULL, and " + field + " cannot be null");
    }
    return value;
  }

  /** Returns a column's value as a type, without a change of what it means. */
  static Object convert(String column, Object value, Class<?> type) {
    if (value == null || type.isInstance(value)) {
      return value;
    }
    try {
      Object converted =
          type == String.class && !(value instanceof byte[]) ? text(value) : other(value, type);
      if (converted != null) {
        return converted;
      }
    } catch (ArithmeticException | NumberFormatException | DateTimeException e) {
      // It is none of the type.
    }
    String what = value instanceof byte[] ? "bytes" : "\"" + value + "\"";
    throw new ValueError("column " + column + " has " + what + ", no " + type.getSimpleName());
  }

  private static String text(Object value) {
    return value instanceof BigDecimal ? ((BigDecimal) value).toPlainString() : value.toString();
  }

  private static Object other(Object value, Class<?> type) {
    if (type == LocalTime.class && value instanceof Duration) {
      return LocalTime.ofNanoOfDay(((Duration) value).toNanos());
    }
    if (!(value instanceof Number || value instanceof String)) {
      return null;
    }
    BigDecimal number = new BigDecimal(value.toString());
    if (type == Long.class) {
      return number.longValueExact();
    } else if (type == Integer.class) {
      return number.intValueExact();
    } else if (type == Short.class) {
      return number.shortValueExact();
    } else if (type == Byte.class) {
      return number.byteValueExact();
    } else if (type == BigInteger.class) {
      return number.toBigIntegerExact();
    } else if (type == Double.class) {
      return number.doubleValue();
    } else if (type == Float.class) {
      return number.floatValue();
    } else if (type == Boolean.class) {
      return number.signum() != 0;
    }
    return type == BigDecimal.class ? number : null;
  }
}
